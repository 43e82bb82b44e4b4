import { createEvent, eventFactory, messageContent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { CompletionRequest } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { isCondensation, NoCondensationAvailableError, View, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { amortizedForgettingCondenser } from './amortized-forgetting/amortized-forgetting.js';
import { extractiveSummaryCondenser } from './digest/extractive-summary.js';
import { llmAttentionCondenser } from './llm-attention/llm-attention.js';
import { llmSummarizingCondenser } from './llm-summarizing/llm-summarizing.js';
import { observationMaskingCondenser } from './observation-masking/observation-masking.js';
import { recentEventsCondenser } from './recent-events/recent-events.js';
import { slidingWindowCondenser } from './sliding-window/sliding-window.js';
import { structuredSummaryCondenser } from './structured-summary/structured-summary.js';
import { standInLLM } from '../test-support/stand-in-llm.js';

const sizes = { maxSize: 12, keepFirst: 2 };
const stand = standInLLM();

function askingModel(llm = stand): Readonly<Record<string, Condenser>> {
  return {
    llmSummarizing: llmSummarizingCondenser({ ...sizes, llm }),
    structuredSummary: structuredSummaryCondenser({ ...sizes, llm }),
    llmAttention: llmAttentionCondenser({ ...sizes, llm }),
    slidingWindow: slidingWindowCondenser({ llm, tokenThreshold: 300, eventRetentionSize: 3 }),
  };
}

const all: Readonly<Record<string, Condenser>> = {
  ...askingModel(),
  recentEvents: recentEventsCondenser({ keepFirst: 2, maxSize: 12 }),
  observationMasking: observationMaskingCondenser({ attentionWindow: 2, minSavedTokens: 40, maskArguments: true }),
  amortizedForgetting: amortizedForgettingCondenser(sizes),
  extractiveSummary: extractiveSummaryCondenser({ ...sizes, maxSummaryTokens: 200 }),
};

/** Condenses until a view comes back, as a host does, and gives what is then sent. */
async function condensed(condenser: Condenser, events: readonly Event[]): Promise<{ view: View; log: Event[] }> {
  const log = [...events];
  for (let round = 0; round < 4; round++) {
    const result = await condenser.condense(View.fromEvents(log), { report: () => {} });
    if (!isCondensation(result)) return { view: result, log };
    log.push(result);
  }
  throw new Error('it condenses for ever');
}

function promptOf(request: CompletionRequest | undefined): string {
  return (request?.messages ?? [])
    .flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n');
}

function textOf(view: View): string {
  return JSON.stringify(view.toMessages());
}

/** Words of the user, and twenty steps with results of about 100 tokens. */
function session(steps = 20) {
  const log = logBuilder();
  log.system();
  log.user('Fix the parser.');
  for (let step = 0; step < steps; step++) log.call('read', { path: `file-${step}` }, `fact ${step};\n`.repeat(40));
  return log;
}

describe('F, defects of other TypeScript systems', () => {
  test.each(Object.keys(askingModel()))(
    'F1: a model that throws never gets its error into the history: %s',
    async (name) => {
      const failing = scriptedLLM({ script: () => new Error('Error: 429 quota exceeded') });
      const view = View.fromEvents(session().events);
      const reports: string[] = [];
      const condenser = askingModel(failing)[name] as Condenser;
      const result = await condenser.condense(view, { report: ({ outcome }) => void reports.push(outcome) });
      expect(result).toBe(view);
      expect(failing.requests.length).toBeGreaterThan(0);
      expect(reports).toContain('failed');
    },
  );

  test('F2: every one of 198 numbered facts that goes reaches the summariser', async () => {
    const log = logBuilder();
    log.user('Remember these.');
    for (let fact = 1; fact <= 198; fact++) log.agent(`Fact #${fact}# is ${'detail '.repeat(30)}`);
    const llm = scriptedLLM({ script: () => 'SUMMARY' });
    const { log: after } = await condensed(llmSummarizingCondenser({ llm, maxSize: 50, keepFirst: 1 }), log.events);
    const gone = new Set(after.flatMap((event) => (event.type === 'condensation' ? event.forgottenEventIds : [])));
    const prompt = promptOf(llm.requests[0]);
    const facts = log.events.filter(({ id }) => gone.has(id)).map((event) => /#\d+#/.exec(JSON.stringify(event))?.[0]);
    expect(facts.length).toBeGreaterThan(150);
    for (const fact of facts) expect(prompt).toContain(fact);
  });

  test.each(Object.keys(all))('F3: interleaved calls and results leave no orphan: %s', async (name) => {
    const log = logBuilder();
    log.system();
    log.user('Fix it.');
    for (let step = 0; step < 12; step++) {
      const [first, second] = [0, 1].map((part) =>
        log.action({ name: 'read', input: { path: `${step}-${part}` } }, { llmResponseId: `shared-${step}` }),
      );
      if (first === undefined || second === undefined) continue;
      log.observation(second, `second of ${step}\n`.repeat(30));
      if (step % 3 === 0) log.user(`By the way, ${step}.`);
      log.observation(first, `first of ${step}\n`.repeat(30));
    }
    const projection = new ViewProjection();
    let acted = 0;
    for (const event of log.events) {
      projection.append(event);
      for (let round = 0; round < 4; round++) {
        const result = await (all[name] as Condenser).condense(projection.view, { report: () => {} });
        if (!isCondensation(result)) {
          if (result !== projection.view) acted++;
          expect(messageViolations(result.toMessages())).toEqual([]);
          break;
        }
        acted++;
        projection.append(result);
      }
    }
    expect(acted).toBeGreaterThan(0);
  });

  test.each([2, 3, 5, 9])('F3: batches of %i calls are cut whole, wherever the tail begins', async (width) => {
    for (let keepFirst = 0; keepFirst <= 8; keepFirst++) {
      const log = logBuilder();
      log.user('Go.');
      for (let step = 0; step < 12; step++)
        log.batch(Array.from({ length: width }, (_, call) => ({ name: `tool-${call}`, result: 'text '.repeat(30) })));
      const llm = scriptedLLM({ script: () => 'SUMMARY' });
      const { view } = await condensed(
        llmSummarizingCondenser({ llm, maxSize: 20 + keepFirst, keepFirst }),
        log.events,
      );
      expect(messageViolations(view.toMessages())).toEqual([]);
      expect(view.leftOut.size).toBe(0);
    }
  });

  test.each(Object.keys(all))('F4: the log and the views that were there stay as they were: %s', async (name) => {
    const { events } = session();
    const [before, view] = [JSON.stringify(events), View.fromEvents(events)];
    const sent = textOf(view);
    const { view: after } = await condensed(all[name] as Condenser, events);
    expect(textOf(after)).not.toBe(sent);
    expect(JSON.stringify(events)).toBe(before);
    expect(textOf(view)).toBe(sent);
    for (const event of events) expect(after.original(event.id)).toBe(event);
  });

  test('F5: a masked result leaves its call, its id and its place; no two user messages become neighbours', async () => {
    const log = session();
    log.user('And the lexer.');
    log.call('read', { path: 'lexer' }, 'x');
    const before = View.fromEvents(log.events).toMessages();
    const { view } = await condensed(
      observationMaskingCondenser({ attentionWindow: 2, minSavedTokens: 40 }),
      log.events,
    );
    const after = view.toMessages();
    expect(after.map(({ role }) => role)).toEqual(before.map(({ role }) => role));
    const calls = (messages: typeof before) =>
      messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
    expect(calls(after)).toEqual(calls(before));
    expect(JSON.stringify(after)).not.toContain('fact 0;\\nfact 0;\\nfact 0;');
    expect(JSON.stringify(after)).toContain('read');
  });

  test.each(Object.keys(all))('F6: signed thinking of the turn that is going on stays: %s', async (name) => {
    const log = session();
    const thinkingBlocks = [
      { type: 'thinking', thinking: 'Which file next?', signature: 'signed-by-the-model' },
    ] as const;
    log.batch([{ name: 'read', input: { path: 'last' }, result: 'the last result' }], {
      thinkingBlocks: [...thinkingBlocks],
    });
    const { view } = await condensed(all[name] as Condenser, log.events);
    const messages = view.toMessages({ thinking: 'latest-turn' });
    const last = messages.findLast(({ role }) => role === 'assistant');
    expect(last?.role === 'assistant' && last.thinkingBlocks).toEqual(thinkingBlocks);
    expect(JSON.stringify(messages)).toContain('the last result');
  });

  test('F7: a retention that would start inside a parallel batch keeps the whole batch', async () => {
    for (const eventRetentionSize of [1, 2, 3, 4, 5]) {
      const log = session(6);
      const calls = [1, 2, 3].map((part) => ({ name: 'read', input: { part }, result: `part ${part}\n`.repeat(30) }));
      const { actions, results } = log.batch(calls);
      log.agent('Read.');
      log.user('Go on.');
      log.call('read', { path: 'x' }, 'y');
      const condenser = slidingWindowCondenser({ llm: stand, tokenThreshold: 300, eventRetentionSize });
      const { view } = await condensed(condenser, log.events);
      const stay = [...actions, ...results].filter(({ id }) => view.indexOf(id) !== undefined);
      expect([0, 6]).toContain(stay.length);
      expect(messageViolations(view.toMessages())).toEqual([]);
    }
  });

  test('F7: events of one and the same time: what no summary covers is still there', async () => {
    let number = 0;
    const make = eventFactory({ newId: () => `same-${++number}`, now: () => new Date(0) });
    const words = (text: string) => [{ type: 'text', text }] as const;
    const events: Event[] = [];
    for (let request = 0; request < 9; request++) {
      events.push(
        make('message', { source: 'user', role: 'user', content: words(`request ${request} ${'x'.repeat(200)}`) }),
      );
      const llmResponseId = `response-${request}`;
      const content = words(`answer ${request} ${'y'.repeat(200)}`);
      events.push(make('message', { source: 'agent', role: 'assistant', content, llmResponseId }));
    }
    const condenser = slidingWindowCondenser({ llm: stand, compactionInterval: 2, overlapSize: 0 });
    const projection = new ViewProjection();
    const covered = new Set<string>();
    for (const event of events) {
      projection.append(event);
      const result = await condenser.condense(projection.view, { report: () => {} });
      if (!isCondensation(result)) continue;
      projection.append(result);
      for (const id of result.metadata?.['coveredEventIds'] as readonly string[]) covered.add(id);
    }
    expect(covered.size).toBeGreaterThan(6);
    for (const { id } of events) expect(covered.has(id) || projection.view.indexOf(id) !== undefined, id).toBe(true);
  });

  test('F8: a condensation holds for every later step, not for one', async () => {
    const { log } = await condensed(llmSummarizingCondenser({ ...sizes, llm: stand }), session().events);
    const later = logBuilder({ idPrefix: 'later-' });
    later.call('read', { path: 'next' }, 'next');
    const [now, next] = [View.fromEvents(log), View.fromEvents([...log, ...later.events])];
    expect(next.toMessages().slice(0, now.toMessages().length)).toEqual(now.toMessages());
    expect(textOf(next)).not.toContain('fact 1;');
  });
});

describe('D, quality of summaries', () => {
  async function asked(events: readonly Event[], script: Script = () => 'SUMMARY') {
    const llm = scriptedLLM({ script });
    const done = await condensed(llmSummarizingCondenser({ ...sizes, llm }), events);
    return { llm, ...done };
  }

  test('D1: what is read is whole: arguments of calls, and results beyond 500 characters', async () => {
    const log = logBuilder();
    log.user('Fix it.');
    log.user('Go.');
    log.call(
      'edit',
      { path: 'a.ts', text: `${'x'.repeat(3_000)}END-OF-ARGUMENTS` },
      `${'y'.repeat(3_000)}END-OF-RESULT`,
    );
    log.add(...session().events.map((event) => ({ ...event, id: `more-${event.id}` })));
    const { llm } = await asked(log.events);
    expect(promptOf(llm.requests[0])).toContain('END-OF-ARGUMENTS');
    expect(promptOf(llm.requests[0])).toContain('END-OF-RESULT');
  });

  test('D1: an earlier summary is read whole, so that nothing is lost at each round', async () => {
    const first = `${'kept '.repeat(150)}END-OF-SUMMARY`;
    const { llm, log } = await asked(session(40).events, () => first);
    const more = session(20).events.map((event) => ({ ...event, id: `more-${event.id}` }));
    const again = scriptedLLM({ script: () => 'SUMMARY' });
    await condensed(llmSummarizingCondenser({ ...sizes, llm: again }), [...log, ...more]);
    expect(llm.requests).toHaveLength(1);
    expect(promptOf(again.requests[0])).toContain('END-OF-SUMMARY');
  });

  test.each(Object.keys(all))('D2: the first and the latest words of the user are never lost: %s', async (name) => {
    const log = session();
    log.user('Keep the public API.');
    for (let step = 0; step < 20; step++) log.call('edit', { path: `file-${step}` }, `edited ${step}\n`.repeat(30));
    const { view } = await condensed(all[name] as Condenser, log.events);
    expect(textOf(view)).toContain('Fix the parser.');
    expect(textOf(view)).toContain('Keep the public API.');
  });

  test('D2: other words of the user are read whole by the summariser', async () => {
    const log = session(4);
    log.user(`Use tabs. ${'Because. '.repeat(100)}UNTIL-HERE`);
    for (let step = 0; step < 9; step++) log.call('read', { path: `b-${step}` }, `b ${step}\n`.repeat(30));
    log.user('Go on.');
    const { llm } = await asked(log.events);
    expect(promptOf(llm.requests[0])).toContain('UNTIL-HERE');
  });

  test('D2: what was finished is not read as a new request: the summary stands behind the words that it answers', async () => {
    const { view } = await asked(session().events);
    const types = view.events.slice().map((event) => (event.type === 'message' ? event.source : event.type));
    expect(types.indexOf('condensation-summary')).toBeGreaterThan(types.indexOf('user'));
  });

  test('D3: a summary that is no smaller than what it replaces is not taken', async () => {
    const events = session().events;
    const { view, log } = await asked(events, () => 'long '.repeat(20_000));
    expect(log).toHaveLength(events.length);
    expect(view.condensations).toEqual([]);
  });

  test('D3: the record names what was dropped, by whom, and what it cost', async () => {
    const { log } = await asked(session().events);
    const made = log.find((event) => event.type === 'condensation');
    if (made?.type !== 'condensation') throw new Error('nothing was condensed');
    expect(made.forgottenEventIds.length).toBeGreaterThan(5);
    expect(made.metadata).toMatchObject({
      condenser: 'llmSummarizing',
      model: 'scripted',
      coveredEvents: made.forgottenEventIds.length,
      usage: { outputTokens: expect.any(Number) },
    });
    expect(made.metadata?.['tokensAfter']).toBeLessThan(made.metadata?.['tokensBefore'] as number);
  });

  test('D3: events are numbered in the prompt, so that a summary can be traced', async () => {
    const { llm } = await asked(session().events);
    const numbers = [...promptOf(llm.requests[0]).matchAll(/\b(?:number|id)="?(\d+)/g)].map(([, number]) =>
      Number(number),
    );
    expect(numbers.length).toBeGreaterThan(5);
  });

  test('D4: the text of a skill goes with its message, is read by the summariser, and a host can see that it is gone', async () => {
    const log = session(4);
    const skill = { type: 'text', text: 'SKILL: always run the linter.' } as const;
    const message = log.user('Use the lint skill.', { extendedContent: [skill] });
    for (let step = 0; step < 9; step++) log.call('read', { path: `b-${step}` }, `b ${step}\n`.repeat(30));
    log.agent('It is clean.');
    log.user('Go on.');
    const { llm, view } = await asked(log.events);
    expect(promptOf(llm.requests[0])).toContain('always run the linter');
    expect(view.indexOf(message.id)).toBeUndefined();
    expect(view.original(message.id)).toBe(message);
    expect(messageContent(message)).toContainEqual(skill);
  });

  test('D: a request that cannot be met says so and leaves the history', async () => {
    const failing = scriptedLLM({ script: () => '   ' });
    const view = View.fromEvents([...session().events, createEvent('condensation-request', {})]);
    const asking = llmSummarizingCondenser({ ...sizes, llm: failing });
    await expect(asking.condense(view, { report: () => {} })).rejects.toThrow(NoCondensationAvailableError);
  });
});
