import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation, isCondensation, pin, View, ViewProjection } from '@palimpsest/view';
import type { AttemptReport, CondenseContext, Condenser, PendingCondensation } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { llmAttentionCondenser } from '../../llm-attention/llm-attention.js';
import { llmSummarizingCondenser } from '../../llm-summarizing/llm-summarizing.js';
import { observationMaskingCondenser } from '../../observation-masking/observation-masking.js';
import { pipelineCondenser } from '../../pipeline/pipeline.js';
import { slidingWindowCondenser } from '../../sliding-window/sliding-window.js';
import { structuredSummaryCondenser } from '../../structured-summary/structured-summary.js';

/** A promise that the test settles. */
function gate() {
  let open = (): void => {};
  let fail = (_: Error): void => {};
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  opened.catch(() => undefined);
  return { opened, open, fail };
}

/** A conversation, and what its condenser reports, which goes into the log. */
class Host {
  readonly log: LogBuilder = logBuilder();
  readonly projection = new ViewProjection();
  readonly reports: AttemptReport[] = [];
  #steps = 0;

  constructor(forkOf?: Host) {
    if (forkOf === undefined) this.add(this.log.system(), this.log.user('Fix the parser.'));
    else {
      this.log = logBuilder({ idPrefix: 'fork-' });
      this.add(...forkOf.log.events);
    }
  }

  add(...events: readonly Event[]): void {
    for (const event of events) this.projection.append(event);
  }

  steps(count: number): void {
    for (let step = 0; step < count; step++) {
      const { action, result } = this.log.call(
        'read',
        { path: `file-${++this.#steps}` },
        `line ${this.#steps} of the file\n`.repeat(40),
      );
      this.add(action, result);
    }
  }

  async condense(condenser: Condenser, context: Partial<CondenseContext> = {}) {
    const attempts: AttemptReport[] = [];
    const result = await condenser.condense(this.projection.view, {
      ...context,
      report: (attempt) => void attempts.push(attempt),
    });
    this.reports.push(...attempts);
    for (const attempt of attempts) {
      this.add(this.log.create('condensation-attempt', { condenser: condenser.name, ...attempt }));
    }
    if (isCondensation(result)) this.add(result);
    return result;
  }
}

function setUp(script: Script, options: Partial<Parameters<typeof llmSummarizingCondenser>[0]> = {}) {
  const llm = scriptedLLM({ script, model: 'small' });
  return {
    llm,
    host: new Host(),
    condenser: llmSummarizingCondenser({ llm, maxSize: 20, background: true, ...options }),
  };
}

function summaryOf(result: Awaited<ReturnType<Condenser['condense']>>): string {
  return isCondensation(result) ? (result.summary ?? '') : '';
}

/** Lets everything that can go on without the test go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

describe('a summary in the background', () => {
  test('is written while the agent goes on, and put in at a later step, where the newer events stay', async () => {
    const { opened, open } = gate();
    const { llm, host, condenser } = setUp(() => ({ text: 'SUMMARY', until: opened }));
    host.steps(12);
    for (let step = 0; step < 3; step++) {
      expect(await host.condense(condenser)).toBe(host.projection.view);
      host.steps(1);
    }
    expect(llm.requests).toHaveLength(1);
    open();
    await settle();
    const tokensBefore = host.projection.view.tokens();
    const result = await host.condense(condenser);
    if (!isCondensation(result)) throw new Error('no condensation');
    const { view } = host.projection;
    expect(result.metadata).toMatchObject({
      condenser: 'llmSummarizing',
      background: true,
      model: 'small',
      tokensBefore,
    });
    expect(result.metadata?.['tokensAfter']).toBe(view.tokens());
    const paths = view.events.slice().flatMap((event) => (event.type === 'action' ? [event.toolCall.arguments] : []));
    expect(paths.at(-1)).toContain('file-15');
    expect(view.events.slice().map(({ type }) => type)).toContain('condensation-summary');
    expect(messageViolations(view.toMessages())).toEqual([]);
    expect(await host.condense(condenser)).toBe(view);
    expect(llm.requests).toHaveLength(1);
  });

  test('is the one that the same condenser without background would have written', async () => {
    const { host, condenser, llm } = setUp(() => 'SUMMARY');
    host.steps(12);
    const plain = await llmSummarizingCondenser({ llm, maxSize: 20 }).condense(host.projection.view, {
      report: () => {},
    });
    await host.condense(condenser);
    await settle();
    const background = await host.condense(condenser);
    if (!isCondensation(plain) || !isCondensation(background)) throw new Error('no condensation');
    expect(background.forgottenEventIds).toEqual(plain.forgottenEventIds);
    expect(background.summaryOffset).toBe(plain.summaryOffset);
  });

  test('nothing is asked and nothing waits while there is nothing to do', async () => {
    const { llm, host, condenser } = setUp([]);
    host.steps(8);
    expect(await host.condense(condenser)).toBe(host.projection.view);
    expect(llm.requests).toEqual([]);
    expect(host.reports).toEqual([]);
  });

  test.each([
    ['over the window', { contextWindow: 500 }],
    ['over maxTokens', {}, { maxTokens: 500 }],
  ] as const)('is waited for when the view is %s', async (_, context, options: { maxTokens?: number } = {}) => {
    const { host, condenser } = setUp(() => 'SUMMARY', options);
    host.steps(12);
    expect(isCondensation(await host.condense(condenser, context))).toBe(true);
  });

  test('is waited for when somebody asks, also when it was begun before', async () => {
    const { opened, open } = gate();
    const { llm, host, condenser } = setUp(() => ({ text: 'SUMMARY', until: opened }));
    host.steps(12);
    await host.condense(condenser);
    host.add(host.log.create('condensation-request', {}));
    const waiting = host.condense(condenser);
    open();
    expect(isCondensation(await waiting)).toBe(true);
    expect(host.projection.view.unhandledCondensationRequest).toBe(false);
    expect(llm.requests).toHaveLength(1);
  });

  test('by tokens it is begun at four fifths of them, so that the agent need not wait', async () => {
    const { llm, host, condenser } = setUp(() => 'SUMMARY', { maxSize: 1_000, maxTokens: 2_000 });
    while (host.projection.view.tokens() <= 1_600) host.steps(1);
    expect(host.projection.view.tokens()).toBeLessThan(2_000);
    expect(await host.condense(condenser)).toBe(host.projection.view);
    expect(llm.requests).toHaveLength(1);
    await settle();
    expect(isCondensation(await host.condense(condenser))).toBe(true);
  });
});

describe('a host whose run ends', () => {
  test('is told of what goes on, and when it can be taken', async () => {
    const { opened, open } = gate();
    const { host, condenser } = setUp(() => ({ text: 'SUMMARY', until: opened }));
    const told: PendingCondensation[] = [];
    const onPending = (pending: PendingCondensation) => void told.push(pending);
    await host.condense(condenser, { onPending });
    expect(told).toEqual([]);
    host.steps(12);
    await host.condense(condenser, { onPending });
    host.steps(1);
    await host.condense(condenser, { onPending });
    expect(told).toHaveLength(1);
    expect(told[0]?.isTaken()).toBe(false);
    open();
    await told[0]?.ready;
    expect(told[0]?.isTaken()).toBe(false);
    expect(isCondensation(await host.condense(condenser, { onPending }))).toBe(true);
    expect(told.map((one) => one.isTaken())).toEqual([true]);
  });

  test('is told so where nothing came of it', async () => {
    const { llm, host } = setUp(() => new Error('no model today'));
    const condenser = llmSummarizingCondenser({ llm, maxSize: 20, background: true });
    const told: PendingCondensation[] = [];
    host.steps(12);
    await host.condense(condenser, { onPending: (pending) => void told.push(pending) });
    await told[0]?.ready;
    expect(isCondensation(await host.condense(condenser))).toBe(false);
    expect(told[0]?.isTaken()).toBe(true);
  });
});

describe('a summary that does not fit any more', () => {
  async function changedMeanwhile(change: (host: Host) => void) {
    const { opened, open } = gate();
    const { llm, host, condenser } = setUp((_, index) => ({
      text: `SUMMARY ${index}`,
      until: index === 0 ? opened : Promise.resolve(),
    }));
    host.steps(12);
    await host.condense(condenser);
    change(host);
    open();
    await settle();
    const first = await host.condense(condenser);
    return { llm, host, condenser, first };
  }

  test.each([
    [
      'another condensation has forgotten a part of it',
      (host: Host) => {
        const { view } = host.projection;
        host.add(condensation({ view, start: 4, end: 8 }));
      },
    ],
    [
      'a result in it was masked',
      (host: Host) => {
        const { view } = host.projection;
        host.add(condensation({ view, redactions: [{ eventId: view.events.at(7)?.id ?? '', text: 'masked' }] }));
      },
    ],
    [
      'an event in it was pinned',
      (host: Host) => {
        host.add(pin(host.projection.view.events.at(6)?.id ?? ''));
      },
    ],
  ])('is thrown away and begun again: %s', async (_, change) => {
    const { llm, host, first } = await changedMeanwhile(change);
    expect(isCondensation(first)).toBe(false);
    expect(host.reports).toEqual([expect.objectContaining({ outcome: 'discarded' })]);
    expect(host.reports[0]?.data).toMatchObject({ condenser: 'llmSummarizing', model: 'small' });
    // What is left is still too much in the last two cases, and is summarised anew.
    expect(llm.requests.length).toBeLessThanOrEqual(2);
    await settle();
    for (const event of host.projection.view.events) expect(JSON.stringify(event)).not.toContain('SUMMARY 0');
  });

  test('what changed behind it does no harm', async () => {
    const { host, first } = await changedMeanwhile((host) => {
      const { view } = host.projection;
      const last = view.events.at(view.events.length - 1);
      host.steps(2);
      host.add(condensation({ view: host.projection.view, redactions: [{ eventId: last?.id ?? '', text: 'masked' }] }));
      host.add(host.log.user('And mind the comments.'));
    });
    expect(isCondensation(first)).toBe(true);
    expect(messageViolations(host.projection.view.toMessages())).toEqual([]);
  });

  test('a view that must be condensed gets a summary in the same call, made from what is there', async () => {
    const { opened, open } = gate();
    const { llm, host, condenser } = setUp((_, index) => ({
      text: `SUMMARY ${index}`,
      until: index === 0 ? opened : Promise.resolve(),
    }));
    host.steps(12);
    await host.condense(condenser);
    host.add(pin(host.projection.view.events.at(6)?.id ?? ''));
    host.add(host.log.create('condensation-request', {}));
    open();
    const result = await host.condense(condenser);
    expect(summaryOf(result)).toContain('SUMMARY 1');
    expect(llm.requests).toHaveLength(2);
  });
});

describe('failures and aborts', () => {
  test('a failure is reported at the next step, and backed off from there', async () => {
    const { llm, host, condenser } = setUp(() => new Error('no model today'));
    host.steps(12);
    await host.condense(condenser);
    await settle();
    host.steps(3);
    expect(isCondensation(await host.condense(condenser))).toBe(false);
    const { view } = host.projection;
    expect(host.reports).toEqual([expect.objectContaining({ outcome: 'failed', reason: 'no model today' })]);
    expect(host.reports[0]?.data).toMatchObject({ condenser: 'llmSummarizing', events: view.events.length });
    expect(await host.condense(condenser)).toBe(view);
    host.steps(1);
    await host.condense(condenser);
    expect(llm.requests).toHaveLength(1);
    host.steps(1);
    await host.condense(condenser);
    expect(llm.requests).toHaveLength(2);
    expect(host.projection.view.condensations).toEqual([]);
  });

  test('an abort stops it; the next call begins again', async () => {
    const { opened } = gate();
    const { llm, host, condenser } = setUp((_, index) => (index === 0 ? { text: 'never', until: opened } : 'SUMMARY'));
    const run = new AbortController();
    host.steps(12);
    await host.condense(condenser, { signal: run.signal });
    const signalOfCall = llm.requests[0]?.signal;
    run.abort(new Error('paused'));
    expect(signalOfCall?.aborted).toBe(true);
    await settle();
    expect(await host.condense(condenser)).toBe(host.projection.view);
    await settle();
    expect(isCondensation(await host.condense(condenser))).toBe(true);
    expect(llm.requests).toHaveLength(2);
    expect(host.reports).toEqual([]);
  });

  test('an abort while it is waited for rejects with its reason', async () => {
    const { opened } = gate();
    const { host, condenser } = setUp(() => ({ text: 'never', until: opened }));
    const run = new AbortController();
    host.steps(12);
    await host.condense(condenser);
    host.add(host.log.create('condensation-request', {}));
    const waiting = host.condense(condenser, { signal: run.signal });
    run.abort(new Error('paused'));
    await expect(waiting).rejects.toThrow('paused');
  });
});

describe('conversations', () => {
  test('each has its own: a summary never gets into another', async () => {
    const { opened, open } = gate();
    const { llm, host, condenser } = setUp(({ messages }) => ({
      text: JSON.stringify(messages).includes('the other task') ? 'OTHER' : 'ONE',
      until: opened,
    }));
    const other = new Host();
    other.add(other.log.user('This is the other task.'));
    host.steps(12);
    other.steps(12);
    await host.condense(condenser);
    await other.condense(condenser);
    open();
    await settle();
    expect(summaryOf(await other.condense(condenser))).toContain('OTHER');
    expect(summaryOf(await host.condense(condenser))).toContain('ONE');
    expect(llm.requests).toHaveLength(2);
  });

  test('a fork is another: what it gets speaks of what both share, and the original gets one too', async () => {
    const { host, condenser, llm } = setUp(() => 'SUMMARY');
    host.steps(12);
    await host.condense(condenser);
    const fork = new Host(host);
    fork.steps(1);
    host.steps(2);
    for (const one of [fork, host]) {
      const shared = one.projection.view.events.slice(0, 26).map(({ id }) => id);
      let result = await one.condense(condenser);
      while (!isCondensation(result)) {
        await settle();
        result = await one.condense(condenser);
      }
      for (const id of result.forgottenEventIds) expect(shared).toContain(id);
      expect(messageViolations(one.projection.view.toMessages())).toEqual([]);
    }
    expect(llm.requests).toHaveLength(2);
  });

  test('a log that is read anew at each step is the same conversation', async () => {
    const { host, condenser, llm } = setUp(() => 'SUMMARY');
    host.steps(12);
    const reread = () => View.fromEvents(JSON.parse(JSON.stringify(host.log.events)) as readonly Event[]);
    await condenser.condense(reread(), { report: () => {} });
    await settle();
    expect(isCondensation(await condenser.condense(reread(), { report: () => {} }))).toBe(true);
    expect(llm.requests).toHaveLength(1);
  });

  test('after a restart it begins again', async () => {
    const { host, condenser, llm } = setUp(() => 'SUMMARY');
    host.steps(12);
    await host.condense(condenser);
    await settle();
    const restarted = llmSummarizingCondenser({ llm, maxSize: 20, background: true });
    expect(await host.condense(restarted)).toBe(host.projection.view);
    await settle();
    expect(isCondensation(await host.condense(restarted))).toBe(true);
    expect(llm.requests).toHaveLength(2);
  });
});

describe('which condensers', () => {
  test('structuredSummary', async () => {
    const fields = { user_context: 'Fix it.', completed_tasks: 'read', pending_tasks: 'write' };
    const llm = scriptedLLM({ script: () => ({ toolCalls: [{ name: 'create_state_summary', arguments: fields }] }) });
    const condenser = structuredSummaryCondenser({ llm, maxSize: 20, background: true });
    const host = new Host();
    host.steps(12);
    expect(await host.condense(condenser)).toBe(host.projection.view);
    await settle();
    expect(isCondensation(await host.condense(condenser))).toBe(true);
  });

  test('llmAttention', async () => {
    const { opened, open } = gate();
    const text = JSON.stringify({ ids: [9, 11] });
    const llm = scriptedLLM({ script: () => ({ text, until: opened }) });
    const condenser = llmAttentionCondenser({ llm, maxSize: 20, background: true });
    const host = new Host();
    host.steps(12);
    const [, , third] = host.projection.view.events.slice(8);
    for (let step = 0; step < 3; step++) {
      expect(await host.condense(condenser)).toBe(host.projection.view);
      host.steps(1);
    }
    open();
    await settle();
    const result = await host.condense(condenser);
    expect(result).toMatchObject({ metadata: { condenser: 'llmAttention', background: true, ranked: 2 } });
    const { view } = host.projection;
    expect(view.indexOf(third?.id ?? '')).toBeDefined();
    expect(JSON.stringify(view.events.at(-1))).toContain('line 15 of the file');
    expect(messageViolations(view.toMessages())).toEqual([]);
    expect(llm.requests).toHaveLength(1);
  });

  test('llmAttention, when somebody asks: it is waited for', async () => {
    const llm = scriptedLLM({ script: () => JSON.stringify({ ids: [] }) });
    const host = new Host();
    host.steps(12);
    host.add(host.log.request());
    expect(isCondensation(await host.condense(llmAttentionCondenser({ llm, background: true })))).toBe(true);
  });

  test('slidingWindow', async () => {
    const llm = scriptedLLM({ script: () => 'WINDOW' });
    const condenser = slidingWindowCondenser({ llm, compactionInterval: 2, overlapSize: 0, background: true });
    const host = new Host();
    for (let request = 0; request < 3; request++) {
      host.steps(2);
      host.add(host.log.agent('Done.'), host.log.user(`And now task ${request}.`));
    }
    expect(await host.condense(condenser)).toBe(host.projection.view);
    host.steps(1);
    await settle();
    const result = await host.condense(condenser);
    expect(summaryOf(result)).toContain('WINDOW');
    expect(llm.requests).toHaveLength(1);
  });

  test('slidingWindow without a word: where the host takes what is pending; elsewhere a step waits', async () => {
    const hostWithThree = () => {
      const host = new Host();
      for (let request = 0; request < 3; request++) {
        host.add(host.log.agent('Done.'), host.log.user(`And now task ${request}. ${'Please. '.repeat(40)}`));
      }
      return host;
    };
    const windows = { compactionInterval: 2, overlapSize: 0 };
    const condenser = slidingWindowCondenser({ llm: scriptedLLM({ script: () => 'WINDOW' }), ...windows });
    const pending: PendingCondensation[] = [];
    const host = hostWithThree();
    const context = { onPending: (one: PendingCondensation) => void pending.push(one) };
    expect(await host.condense(condenser, context)).toBe(host.projection.view);
    await pending[0]?.ready;
    expect(summaryOf(await host.condense(condenser, context))).toContain('WINDOW');
    expect(pending.map((one) => one.isTaken())).toEqual([true]);

    expect(summaryOf(await hostWithThree().condense(condenser))).toContain('WINDOW');
    const never = slidingWindowCondenser({ llm: scriptedLLM({ script: () => 'W' }), ...windows, background: false });
    expect(isCondensation(await hostWithThree().condense(never, context))).toBe(true);
    expect(pending).toHaveLength(1);
  });

  test('in a pipeline: a stage before it may act meanwhile', async () => {
    const { opened, open } = gate();
    const { host, condenser, llm } = setUp(() => ({ text: 'SUMMARY', until: opened }));
    const masking = observationMaskingCondenser({ attentionWindow: 0, minSavedTokens: 3_500 });
    const pipeline = pipelineCondenser([masking, condenser]);
    host.steps(12);
    await host.condense(pipeline);
    expect(llm.requests).toHaveLength(1);
    do host.steps(1);
    while (!isCondensation(await host.condense(pipeline)));
    expect(llm.requests).toHaveLength(1);
    open();
    await settle();
    await host.condense(pipeline);
    expect(host.reports.map(({ outcome }) => outcome)).toContain('discarded');
    await settle();
    expect(isCondensation(await host.condense(pipeline))).toBe(true);
    expect(messageViolations(host.projection.view.toMessages())).toEqual([]);
  });
});

describe.each([
  [
    'llmSummarizing',
    (llm: ReturnType<typeof scriptedLLM>, maxTokens: number) =>
      llmSummarizingCondenser({ llm, maxTokens, keepFirst: 8, background: true }),
  ],
  [
    'llmAttention',
    (llm: ReturnType<typeof scriptedLLM>, maxTokens: number) =>
      llmAttentionCondenser({ llm, maxTokens, keepFirst: 8, background: true }),
  ],
])('%s, begun early', (_, create) => {
  test('is no last resort: where nothing lies between the first events and the newest, all stays while the budget holds', async () => {
    const host = new Host();
    host.steps(4);
    const view = host.projection.view;
    const condenser = create(scriptedLLM({ script: () => 'short' }), Math.floor(view.tokens() / 0.85));
    for (let round = 0; round < 3; round++) {
      expect(await condenser.condense(view, { report: () => {} })).toBe(view);
      await new Promise(setImmediate);
    }
  });

  test('a preview does not take the summary, and calls no model', async () => {
    const llm = scriptedLLM({ script: () => 'A summary of what was read.' });
    const host = new Host();
    host.steps(40);
    const view = host.projection.view;
    const condenser = create(llm, Math.floor(view.tokens() / 0.85));
    const preview = () => condenser.condense(view, { preview: true, report: () => expect.unreachable() });
    expect(await preview()).toBe(view);
    expect(llm.requests).toHaveLength(0);
    await condenser.condense(view, { report: () => {} });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(llm.requests).toHaveLength(1);
    expect(await preview()).toBe(view);
    expect(isCondensation(await condenser.condense(view, { report: () => {} }))).toBe(true);
    expect(llm.requests).toHaveLength(1);
  });
});
