import type { Condensation, Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import {
  AuthenticationError,
  ContextWindowExceededError,
  InvalidRequestError,
  ServiceUnavailableError,
} from '@palimpsest/llm-adapters';
import type { CompletionRequest } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script, ScriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, NoCondensationAvailableError, pin, View, ViewProjection } from '@palimpsest/view';
import type { AttemptReport, CondenseContext, ViewOptions } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { summaryHeader } from '../authoring/model/summary.prompt.js';
import { pipelineCondenser } from '../pipeline/pipeline.js';
import { recentEventsCondenser } from '../recent-events/recent-events.js';
import { llmSummarizingCondenser } from './llm-summarizing.js';
import type { LLMSummarizingOptions } from './llm-summarizing.js';

const words = 'word '.repeat(40);

/** A log of so many messages of the model: nothing in it is protected, and it can be cut everywhere. */
function talk(count: number): LogBuilder {
  const log = logBuilder();
  for (let index = 0; index < count; index++) log.agent(`${index} ${words}`);
  return log;
}

/** A task with so many calls, two events each, behind a system prompt and a word of the user. */
function task(calls: number, result = words): LogBuilder {
  const log = logBuilder();
  log.system();
  log.user('Fix the parser.');
  for (let index = 0; index < calls; index++) log.call('read', { path: `file-${index}` }, `${index} ${result}`);
  return log;
}

interface Run {
  readonly result: View | Condensation | undefined;
  readonly error: unknown;
  readonly reports: readonly { readonly outcome: string; readonly reason: string; readonly data?: object }[];
  readonly llm: ScriptedLLM;
  readonly view: View;
}

/** Asks a condenser once. */
async function condense(
  events: readonly Event[],
  options: Omit<LLMSummarizingOptions, 'llm'>,
  more: {
    readonly script?: Script;
    readonly llm?: ScriptedLLM;
    readonly context?: Omit<CondenseContext, 'report'>;
    readonly view?: ViewOptions;
  } = {},
): Promise<Run> {
  const llm = more.llm ?? scriptedLLM({ script: more.script ?? (() => 'SUMMARY'), model: 'small' });
  const view = View.fromEvents(events, more.view);
  const reports: AttemptReport[] = [];
  const done = { llm, reports, view };
  const context = { ...more.context, report: (report: (typeof reports)[number]) => void reports.push(report) };
  try {
    return {
      ...done,
      result: await llmSummarizingCondenser({ ...options, llm }).condense(view, context),
      error: undefined,
    };
  } catch (error) {
    return { ...done, result: undefined, error };
  }
}

function condensationOf({ result, error }: Run): Condensation {
  if (result === undefined) throw error;
  if (!isCondensation(result)) throw new Error('it returned a view');
  return result;
}

const idsOf = (view: View): readonly string[] => [...view.events].map(({ id }) => id);

describe('what is forgotten', () => {
  test.each([
    // These were run on the original.
    { maxSize: 240, keepFirst: 2, length: 241, forgotten: 122, kept: 120 },
    { maxSize: 120, keepFirst: 4, length: 121, forgotten: 62, kept: 60 },
    { maxSize: 100, keepFirst: 1, length: 101, forgotten: 52, kept: 50 },
    { maxSize: 11, keepFirst: 0, length: 12, forgotten: 8, kept: 5 },
    // keepFirst at its limit: one event behind the summary.
    { maxSize: 10, keepFirst: 3, length: 11, forgotten: 7, kept: 5 },
  ])(
    'over $maxSize events with keepFirst $keepFirst: $forgotten of $length',
    async ({ length, forgotten, kept, ...limits }) => {
      const log = talk(length);
      const done = condensationOf(await condense(log.events, limits));
      expect(done.forgottenEventIds).toEqual(
        idsOf(View.fromEvents(log.events)).slice(limits.keepFirst, limits.keepFirst + forgotten),
      );
      expect(done).toMatchObject({ summary: `${summaryHeader}\n\nSUMMARY`, summaryOffset: limits.keepFirst });
      expect(View.fromEvents([...log.events, done]).events.length).toBe(kept);
    },
  );

  test.each([
    { length: 8, forgotten: 5 },
    { length: 10, forgotten: 6 },
    { length: 12, forgotten: 7 },
    { length: 14, forgotten: 8 },
  ])('a request on $length events with keepFirst 2: $forgotten', async ({ length, forgotten }) => {
    const log = talk(length);
    log.request();
    const done = condensationOf(await condense(log.events, { keepFirst: 2 }));
    expect(done.forgottenEventIds).toHaveLength(forgotten);
    expect(done.metadata).toMatchObject({ reason: 'request' });
  });

  test.each([10, 11, 12, 120])(
    'maxSize %i: after a condensation half of it, and the next when it is exceeded again',
    async (maxSize) => {
      const log = logBuilder();
      const projection = new ViewProjection();
      const condenser = llmSummarizingCondenser({ llm: scriptedLLM({ script: () => 'S' }), maxSize, keepFirst: 1 });
      const target = Math.floor(maxSize / 2);
      const at: number[] = [];
      for (let appended = 1; appended <= maxSize * 4; appended++) {
        projection.append(log.agent(`${appended} ${words}`));
        const result = await condenser.condense(projection.view, { report: () => {} });
        if (isCondensation(result)) {
          expect(projection.view.events.length).toBe(maxSize + 1);
          projection.append(result);
          expect(projection.view.events.length).toBe(target);
          at.push(appended);
        }
      }
      expect(at[0]).toBe(maxSize + 1);
      for (const [index, appended] of at.slice(1).entries())
        expect(appended - (at[index] ?? 0)).toBe(maxSize + 1 - target);
      expect(at.length).toBeGreaterThan(3);
    },
  );

  test('of several reasons the one that leaves the shortest tail counts', async () => {
    // 41 events of 55 tokens: 20 stay for the events, 8 for the tokens.
    const log = talk(41);
    const byEvents = condensationOf(await condense(log.events, { maxSize: 40, keepFirst: 2 }));
    const both = condensationOf(await condense(log.events, { maxSize: 40, keepFirst: 2, maxTokens: 1_000 }));
    expect(byEvents.forgottenEventIds).toHaveLength(22);
    expect(both.forgottenEventIds.length).toBeGreaterThan(28);
    expect(both.metadata).toMatchObject({ reason: 'tokens, events', tokenBudget: 1_000 });
    log.request();
    const asked = condensationOf(await condense(log.events, { maxSize: 40, keepFirst: 2, maxTokens: 1_000 }));
    expect(asked.forgottenEventIds).toEqual(both.forgottenEventIds);
    expect(asked.metadata).toMatchObject({ reason: 'request, tokens, events' });
  });

  test('G13: the budget is the window less the answer and a tenth', async () => {
    const log = talk(40);
    const tokens = View.fromEvents(log.events).tokens();
    const context = { contextWindow: 2_000, maxOutputTokens: 100 };
    expect(
      (await condense(log.events, {}, { context: { ...context, contextWindow: tokens * 2 } })).result,
    ).toHaveProperty('events');
    const done = condensationOf(await condense(log.events, {}, { context }));
    expect(done.metadata).toMatchObject({ reason: 'tokens', tokenBudget: 1_700 });
    const after = View.fromEvents([...log.events, done]);
    expect(after.tokens()).toBeLessThanOrEqual(850 + 60);
    expect(done.metadata).toMatchObject({ tokensBefore: tokens, tokensAfter: after.tokens() });
  });

  test('below every limit nothing is asked', async () => {
    const { result, llm, view } = await condense(talk(120).events, { maxSize: 120 });
    expect(result).toBe(view);
    expect(llm.requests).toHaveLength(0);
  });

  test('calls, results and batches go whole; the system prompt and the user’s first and latest words stay', async () => {
    const log = task(10);
    log.batch([
      { name: 'a', result: words },
      { name: 'b', result: words },
      { name: 'c', result: words },
    ]);
    const latest = log.user('And keep the tabs.');
    log.call('write', {}, 'ok');
    const done = condensationOf(await condense(log.events, { maxSize: 20, keepFirst: 3 }));
    const after = View.fromEvents([...log.events, done]);
    expect(after.leftOut.size).toBe(0);
    expect(done.forgottenEventIds).not.toContain(latest.id);
    expect(after.indexOf('event-2')).toBeDefined();
  });
});

describe('views that are hard to cut', () => {
  const maxSize = 240;
  /** A loop of so many calls, whose thinking makes it one unit for models that check the latest turn. */
  function loop(calls: number): LogBuilder {
    const log = logBuilder();
    log.system();
    log.user('Fix the parser.');
    const thinkingBlocks = [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] as const;
    for (let index = 0; index < calls; index++)
      log.call('read', { path: `file-${index}` }, `${index} ${words}`, index === 0 ? { thinkingBlocks } : {});
    return log;
  }
  const latestTurn: ViewOptions = { thinking: 'latest-turn' };

  test.each([2, 3])(
    'a thinking loop with no cut in it, too many events (keepFirst %i): the view stays, and it is said',
    async (keepFirst) => {
      const { result, view, reports, llm } = await condense(
        loop(150).events,
        { maxSize, keepFirst },
        { view: latestTurn },
      );
      expect([...view.cutPoints]).toEqual([0, 1, 2, 302]);
      expect(result).toBe(view);
      expect(reports).toMatchObject([{ outcome: 'unavailable', data: { condenser: 'llmSummarizing', events: 302 } }]);
      expect(llm.requests).toHaveLength(0);
    },
  );

  test.each([2, 3])(
    'the same, and somebody asks (keepFirst %i): all of the loop, and the protected events stay',
    async (keepFirst) => {
      const log = loop(60);
      log.request();
      const run = await condense(log.events, { maxSize, keepFirst }, { view: latestTurn });
      expect(condensationOf(run).forgottenEventIds).toEqual(idsOf(run.view).slice(2));
      expect(idsOf(View.fromEvents([...log.events, condensationOf(run)])).slice(0, 2)).toEqual(['event-1', 'event-2']);
    },
  );

  test('a loop that can be cut is cut', async () => {
    const done = condensationOf(await condense(loop(150).events, { maxSize, keepFirst: 2 }));
    // 302 - (120 - 2 - 1) is 185, in the middle of a call: the cut moves behind its result.
    expect(done.forgottenEventIds).toHaveLength(186 - 2);
  });

  test('G9: a request on a short view: all before the newest step', async () => {
    const log = task(3);
    log.request();
    const run = await condense(log.events, { keepFirst: 4 });
    expect(condensationOf(run).forgottenEventIds).toEqual(idsOf(run.view).slice(2, 6));
  });

  test('a request where only protected events are left: no condensation, and no call', async () => {
    const log = task(0);
    log.request();
    const { error, llm, reports } = await condense(log.events, {});
    expect(NoCondensationAvailableError.isInstance(error)).toBe(true);
    expect([llm.requests.length, reports.length]).toEqual([0, 0]);
  });

  test('one step that is larger than the window is summarised when there is nothing else', async () => {
    const log = task(0);
    log.call('read', { path: 'big' }, 'x'.repeat(40_000));
    log.request();
    const run = await condense(log.events, {}, { context: { contextWindow: 8_000 } });
    expect(condensationOf(run).forgottenEventIds).toEqual(idsOf(run.view).slice(2));
  });

  test('a few words are not worth a call', async () => {
    const log = logBuilder();
    log.agent('Hello.');
    log.agent('Bye.');
    log.request();
    const { error, llm } = await condense(log.events, {});
    expect(NoCondensationAvailableError.isInstance(error)).toBe(true);
    expect(llm.requests).toHaveLength(0);
  });

  test('an empty view, and one event', async () => {
    const empty = logBuilder();
    expect((await condense(empty.events, {})).result).toHaveProperty('events.length', 0);
    empty.request();
    expect(NoCondensationAvailableError.isInstance((await condense(empty.events, {})).error)).toBe(true);
    const one = talk(1);
    one.request();
    expect(condensationOf(await condense(one.events, {})).forgottenEventIds).toEqual(['event-1']);
  });

  test('less than the minimum is not condensed', async () => {
    const log = logBuilder();
    for (let index = 0; index < 100; index++) log.agent(`${index} ${words}`);
    const calls = Array.from({ length: 21 }, (_, index) => ({ name: `tool-${index}`, result: words }));
    log.batch(calls);
    const limits = { maxSize: 141, keepFirst: 60 };
    expect((await condense(log.events, limits)).result).toHaveProperty('forgottenEventIds.length', 40);
    expect((await condense(log.events, { ...limits, modelCall: { minProgress: 0.4 } })).result).toHaveProperty(
      'events',
    );
  });
});

test('a summary that saves less than the minimum of a view that stays too large is none', async () => {
  const log = logBuilder();
  log.user('Go.');
  log.add(pin(log.call('dump', {}, 'x'.repeat(40_000)).result.id));
  for (let step = 0; step < 40; step++) log.call('read', { step }, 'y'.repeat(400));
  const limits = { keepFirst: 0, maxTokens: 2_000, maxSummaryTokens: 4_000, modelCall: { minProgress: 0.2 } };
  const { result, view, reports } = await condense(log.events, limits, { script: () => 'longer '.repeat(2_000) });
  expect(result).toBe(view);
  expect(reports.at(-1)).toMatchObject({ outcome: 'failed', data: { kind: 'too-large' } });
  const short = await condense(log.events, limits, { script: () => 'All was read.' });
  expect(condensationOf(short).forgottenEventIds.length).toBeGreaterThan(50);
});

test('one long result is progress, though it is few events', async () => {
  const log = task(1, 'x'.repeat(40_000));
  for (let step = 0; step < 40; step++) log.call('read', { step }, 'short');
  const run = await condense(log.events, { keepFirst: 2, maxTokens: 8_000 });
  expect(condensationOf(run).forgottenEventIds).toEqual(['event-3', 'event-4']);
});

describe('behind a condenser that hides events', () => {
  const stages = (llm: ScriptedLLM) =>
    pipelineCondenser([recentEventsCondenser({ maxSize: 30 }), llmSummarizingCondenser({ llm, maxSize: 20 })]);

  test('ids and the place of the summary are those of the stored list', async () => {
    const log = task(40);
    const view = View.fromEvents(log.events);
    const llm = scriptedLLM({ script: () => 'SUMMARY' });
    const done = await stages(llm).condense(view, { report: () => {} });
    if (!isCondensation(done)) throw new Error('it returned a view');
    // Of those that are shown half of 20 stay: four, the summary, and the newest, cut behind a result.
    const ids = idsOf(view);
    expect(done.forgottenEventIds).toEqual(ids.slice(ids.indexOf(done.forgottenEventIds[0] ?? ''), -4));
    const after = View.fromEvents([...log.events, done]);
    expect(after.events.at(done.summaryOffset ?? 0)).toMatchObject({ summary: `${summaryHeader}\n\nSUMMARY` });
    expect(after.notes).toHaveLength(0);
    expect(after.events.at((done.summaryOffset ?? 0) + 1)).toMatchObject({ id: ids.at(-4) });
  });

  test('a unit of which only a part is shown is neither forgotten nor paid for', async () => {
    const log = logBuilder();
    log.system();
    log.user('Go.');
    const { results } = log.batch(Array.from({ length: 4 }, (_, index) => ({ name: `t-${index}`, result: words })));
    log.agent('done');
    log.request();
    const view = View.fromEvents(log.events).without(new Set([results[0]?.id ?? '']));
    const llm = scriptedLLM({ script: () => 'SUMMARY' });
    const condenser = llmSummarizingCondenser({ llm });
    const error: unknown = await Promise.resolve(condenser.condense(view, { report: () => {} })).catch(
      (e: unknown) => e,
    );
    expect(NoCondensationAvailableError.isInstance(error)).toBe(true);
    expect(llm.requests).toHaveLength(0);
  });
});

describe('the previous summary', () => {
  test('goes to the model whole, and the new one replaces it', async () => {
    const log = talk(21);
    const limits = { maxSize: 20, keepFirst: 2 };
    const first = condensationOf(await condense(log.events, limits, { script: () => `FIRST ${words}` }));
    log.add(first);
    for (let index = 0; index < 12; index++) log.agent(`more ${index} ${words}`);
    const run = await condense(log.events, limits, { script: () => 'SECOND' });
    const [request] = run.llm.requests;
    expect(JSON.stringify(request?.messages)).toContain(`<previous_summary>\\nFIRST ${words.trim()}`);
    const summaries = [...View.fromEvents([...log.events, condensationOf(run)]).events].filter(
      ({ type }) => type === 'condensation-summary',
    );
    expect(summaries).toMatchObject([{ summary: `${summaryHeader}\n\nSECOND` }]);
  });

  test('also when it stands among the first events, as after a last resort', async () => {
    const log = task(2);
    log.request();
    const first = condensationOf(await condense(log.events, { maxSize: 20 }));
    log.add(first);
    for (let index = 0; index < 10; index++) log.call('read', { path: `more-${index}` }, words);
    const run = await condense(log.events, { maxSize: 20, keepFirst: 6 }, { script: () => 'SECOND' });
    expect(idsOf(run.view).indexOf(`${first.id}-summary`)).toBeLessThan(6);
    const after = View.fromEvents([...log.events, condensationOf(run)]);
    expect([...after.events].filter(({ type }) => type === 'condensation-summary')).toMatchObject([
      { summary: `${summaryHeader}\n\nSECOND` },
    ]);
  });

  test('one alone is never written anew', async () => {
    const log = logBuilder();
    log.system();
    log.user('Fix it.');
    log.add(log.create('condensation', { forgottenEventIds: [], summary: words, summaryOffset: 2 }));
    log.call('read', {}, words);
    log.request();
    const { result, llm } = await condense(log.events, {});
    // Only the newest step is left to give.
    expect(result).toHaveProperty('forgottenEventIds.length', 3);
    expect(llm.requests).toHaveLength(1);
  });
});

describe('what goes on record', () => {
  test('condenser, reason, tokens before and after, model, usage, cost and how many events', async () => {
    const llm = scriptedLLM({
      script: ['SUMMARY'],
      model: 'small',
      prices: { input: 1, cacheRead: 0.1, cacheWrite: 1, output: 5 },
    });
    const log = talk(21);
    const done = condensationOf(await condense(log.events, { maxSize: 20 }, { llm }));
    expect(done.metadata).toMatchObject({
      condenser: 'llmSummarizing',
      reason: 'events',
      tokensBefore: View.fromEvents(log.events).tokens(),
      tokensAfter: View.fromEvents([...log.events, done]).tokens(),
      model: 'small',
      usage: { cacheReadTokens: 0 },
      coveredEvents: 12,
    });
    expect(done.metadata?.['costUsd']).toBeGreaterThan(0);
  });

  test('numbers that are none are left out: they are no reason to lose a summary', async () => {
    const llm = scriptedLLM({ script: ['SUMMARY'] });
    const odd = {
      ...llm,
      complete: async (request: CompletionRequest) => ({
        ...(await llm.complete(request)),
        usage: { outputTokens: NaN },
        costUsd: NaN,
      }),
    };
    const done = condensationOf(await condense(talk(21).events, { maxSize: 20 }, { llm: odd as typeof llm }));
    expect(done.metadata).not.toHaveProperty('usage');
    expect(done.metadata).not.toHaveProperty('costUsd');
  });

  test('the condensation is made by the factory that was given', async () => {
    const log = talk(21);
    const done = condensationOf(await condense(log.events, { maxSize: 20, createEvent: log.create }));
    expect(done.id).toBe('event-22');
  });

  test('the model call does not stream', async () => {
    const { llm } = await condense(talk(21).events, { maxSize: 20 });
    expect(llm.requests).toHaveLength(1);
    expect(llm.requests[0]).not.toHaveProperty('onDelta');
  });
});

describe('G7: a model that gives nothing of use', () => {
  const larger = 'longer '.repeat(5_000);
  const lookFirst = { text: 'Let me look at the file first.', toolCalls: [{ name: 'read', arguments: { path: 'a' } }] };
  const writtenCall = 'I read it.\n<function_calls>\n<invoke name="read">\n</invoke>\n</function_calls>';
  const failures: readonly {
    readonly how: string;
    readonly script: Script;
    readonly kind: string;
    readonly tries: number;
  }[] = [
    { how: 'throws', script: () => new Error('socket hang up'), kind: 'error', tries: 4 },
    { how: 'says nothing', script: () => '', kind: 'empty', tries: 4 },
    { how: 'says only blanks', script: () => ' \n ', kind: 'empty', tries: 4 },
    { how: 'calls a tool', script: () => ({ toolCalls: [{ name: 'run' }] }), kind: 'invalid', tries: 4 },
    { how: 'talks and calls a tool', script: () => lookFirst, kind: 'invalid', tries: 4 },
    { how: 'writes a call as text', script: () => writtenCall, kind: 'invalid', tries: 4 },
    { how: 'refuses in words', script: () => "I'm sorry, but I can't help with that.", kind: 'refused', tries: 4 },
    { how: 'is broken off', script: () => ({ text: 'S', finishReason: 'interrupted' }), kind: 'truncated', tries: 4 },
    { how: 'is cut off', script: () => ({ text: 'S', finishReason: 'length' }), kind: 'truncated', tries: 4 },
    { how: 'is filtered', script: () => ({ text: 'S', finishReason: 'content-filter' }), kind: 'refused', tries: 4 },
    { how: 'answers with more than it would replace', script: () => larger, kind: 'too-large', tries: 4 },
    { how: 'never answers', script: () => ({ text: 'S', until: new Promise(() => {}) }), kind: 'timeout', tries: 1 },
  ];

  test.each(failures)('$how: too many events, and nothing happens but a report', async ({ script, kind }) => {
    const { result, view, reports, llm } = await condense(
      talk(21).events,
      { maxSize: 20, modelCall: { timeoutMs: 1 } },
      { script },
    );
    expect(result).toBe(view);
    expect(llm.requests).toHaveLength(1);
    expect(reports).toMatchObject([{ outcome: 'failed', data: { condenser: 'llmSummarizing', kind, model: 'small' } }]);
  });

  test.each(failures)(
    '$how, and somebody asked: a bounded number of tries, and the error names it',
    async ({ script, kind, tries }) => {
      const log = talk(30);
      log.request();
      const { error, reports, llm } = await condense(log.events, { modelCall: { timeoutMs: 1 } }, { script });
      expect(NoCondensationAvailableError.isInstance(error)).toBe(true);
      expect(error).toHaveProperty('cause.kind', kind);
      expect(llm.requests).toHaveLength(tries);
      expect(reports).toHaveLength(tries);
      expect(reports.at(-1)).toMatchObject({ outcome: 'failed' });
      expect(reports.filter(({ outcome }) => outcome === 'retried')).toHaveLength(tries - 1);
    },
  );

  test.each(failures)('$how, over the budget: reported, and the view returned', async ({ script }) => {
    const { result, view, reports } = await condense(
      talk(30).events,
      { maxTokens: 500, modelCall: { timeoutMs: 1 } },
      { script },
    );
    expect(result).toBe(view);
    expect(reports.at(-1)).toMatchObject({ outcome: 'failed' });
  });

  test('a provider that is down is not asked anew: its adapter has tried again already', async () => {
    const log = talk(30);
    log.request();
    const script = () => new ServiceUnavailableError('overloaded', { provider: 'test' });
    const { llm, error } = await condense(log.events, {}, { script });
    expect(llm.requests).toHaveLength(1);
    expect(error).toHaveProperty('cause.kind', 'error');
  });

  test('an error that is final is not tried again', async () => {
    const log = talk(30);
    log.request();
    const script = () => new AuthenticationError('no such key', { provider: 'test' });
    const { llm, error } = await condense(log.events, {}, { script });
    expect(llm.requests).toHaveLength(1);
    expect((error as Error).message).toContain('no such key');
  });

  test('after a soft failure on record, the next attempt waits', async () => {
    const log = talk(21);
    const script = () => new Error('down');
    const { reports } = await condense(log.events, { maxSize: 20 }, { script });
    log.attempt({ condenser: 'llmSummarizing', ...reports[0] } as never);
    for (let grown = 1; grown <= 4; grown++) {
      log.agent(words);
      expect((await condense(log.events, { maxSize: 20 }, { script })).llm.requests).toHaveLength(grown < 4 ? 0 : 1);
    }
  });

  test('a model that is down is not asked at every step', async () => {
    const log = talk(21);
    let calls = 0;
    for (let step = 0; step < 100; step++) {
      const { reports } = await condense(log.events, { maxSize: 20 }, { script: () => (calls++, new Error('down')) });
      for (const report of reports) log.attempt({ condenser: 'llmSummarizing', ...report } as never);
      log.agent(words);
    }
    // At once, and after 4, 8, 16 and 32 events more.
    expect(calls).toBe(5);
  });

  test('an abort ends in its reason', async () => {
    const abort = new AbortController();
    const reason = new Error('nobody waits');
    const script = () => (abort.abort(reason), { text: 'S', until: new Promise(() => {}) });
    const { error, reports } = await condense(
      talk(21).events,
      { maxSize: 20 },
      { script, context: { signal: abort.signal } },
    );
    expect(error).toBe(reason);
    expect(reports).toEqual([]);
  });
});

describe('the last resort', () => {
  test('is given less to read at each try, until the model can', async () => {
    const log = task(30, words.repeat(5));
    log.request();
    const script: Script = (_request, index) => (index < 3 ? new Error('out of memory') : 'SUMMARY');
    const run = await condense(log.events, {}, { script });
    const sizes = run.llm.requests.map((request) => JSON.stringify(request.messages).length);
    expect(sizes).toHaveLength(4);
    // The first asks for the middle; the others for all but the newest step.
    expect(sizes[2]).toBeLessThan(sizes[1] ?? 0);
    expect(sizes[3]).toBeLessThan(sizes[2] ?? 0);
    expect(condensationOf(run).forgottenEventIds).toEqual(idsOf(run.view).slice(2, -2));
    expect(run.reports.map(({ outcome }) => outcome)).toEqual(['retried', 'retried', 'retried']);
  });

  test('a model whose window is smaller than it says is given half as much, also when it is only a soft limit', async () => {
    const script: Script = (request) =>
      JSON.stringify(request.messages).length > 20_000
        ? new ContextWindowExceededError('too long', { provider: 'test', kind: 'input' })
        : 'SUMMARY';
    const log = task(60, words.repeat(5));
    const run = await condense(log.events, { maxSize: 100 }, { script });
    expect(condensationOf(run).summary).toContain('SUMMARY');
    expect(run.llm.requests.length).toBe(3);
  });

  test('a prompt that is always too long costs hardResetTries and one more, with less to read each time', async () => {
    const log = task(60, words.repeat(5));
    log.request();
    const script = () => new ContextWindowExceededError('too long', { provider: 'test', kind: 'input' });
    const { llm, reports, error } = await condense(log.events, {}, { script });
    expect(error).toHaveProperty('cause.kind', 'overflow');
    expect(reports.filter(({ outcome }) => outcome === 'retried')).toHaveLength(3);
    const sizes = llm.requests.map((request) => JSON.stringify(request.messages).length);
    expect(sizes).toHaveLength(4);
    for (const [index, size] of sizes.slice(1).entries()) expect(size).toBeLessThan(sizes[index] ?? 0);
  });

  test('a window without room for a single event is no other with less to read', async () => {
    const llm = scriptedLLM({ script: [], contextWindow: 400 });
    const { reports } = await condense(talk(30).events, { maxSize: 20 }, { llm });
    expect(reports).toMatchObject([{ outcome: 'failed', data: { kind: 'overflow' } }]);
    expect(reports).toHaveLength(1);
  });

  test('what it may cost is bounded by hardResetTries', async () => {
    const log = talk(30);
    log.request();
    const { llm } = await condense(log.events, { modelCall: { tries: 1 } }, { script: () => '' });
    expect(llm.requests).toHaveLength(2);
  });
});

test.each([
  { option: 'keepFirst', options: { maxSize: 10, keepFirst: 4 }, says: "'maxSize' of at least 12" },
  { option: 'keepFirst', options: { keepFirst: -1 }, says: 'at least 0' },
  { option: 'maxSize', options: { maxSize: 3 }, says: 'at least 4' },
  { option: 'maxTokens', options: { maxTokens: 0 }, says: 'at least 1' },
  { option: 'modelCall.minProgress', options: { modelCall: { minProgress: 1 } }, says: 'between 0 and 1' },
  { option: 'modelCall.tries', options: { modelCall: { tries: 0 } }, says: 'at least 1' },
  { option: 'modelCall.prompt', options: { modelCall: { prompt: '{{ event }}' } }, says: 'uses event' },
])('$option out of range is refused: $options', ({ option, options, says }) => {
  const make = () => llmSummarizingCondenser({ llm: scriptedLLM({ script: [] }), ...options });
  expect(make).toThrow(InvalidCondenserConfigError);
  expect(make).toThrow(`'${option}'`);
  expect(make).toThrow(says);
});

describe('what a summary keeps by rule', () => {
  const edit = (log: LogBuilder, path: string) => log.call('str_replace', { path, old_str: 'a', new_str: 'b' }, words);

  /** The user speaks in the middle of a long task that changes two files. */
  function spoken(): LogBuilder {
    const log = task(10, words.repeat(5));
    log.user('Keep the tabs, and\n  answer in French.');
    edit(log, 'src/parser.ts');
    edit(log, 'src/lexer.ts');
    for (let index = 0; index < 20; index++) log.call('read', { path: `more-${index}` }, words.repeat(5));
    log.agent('Both are done.');
    log.user('Go on.');
    return log;
  }
  const limits = { maxSize: 40, keepFirst: 2 };

  test('the user’s words stand in it, and the facts that the model did not name', async () => {
    const run = await condense(spoken().events, limits, { script: () => 'CHANGES: src/lexer.ts' });
    expect(condensationOf(run).summary).toBe(
      [
        summaryHeader,
        'CHANGES: src/lexer.ts',
        'What the user said in them, word for word (oldest first):\n- Keep the tabs, and\n  answer in French.',
        'Read from the log by rule, and not named above:\n- File modified: src/parser.ts',
      ].join('\n\n'),
    );
    const prompt = JSON.stringify(run.llm.requests[0]?.messages);
    expect(prompt).toContain('<facts>\\n- File modified: src/lexer.ts\\n- File modified: src/parser.ts\\n</facts>');
    expect(run.llm.requests).toHaveLength(1);
  });

  test('no word of the user with a budget of 0, and no facts where there are none', async () => {
    const none = await condense(spoken().events, { ...limits, maxUserWordTokens: 0 });
    expect(condensationOf(none).summary).not.toContain('French');
    const { llm } = await condense(talk(41).events, limits);
    expect(JSON.stringify(llm.requests[0]?.messages)).not.toContain('<facts>\\n');
  });

  test('where the user said nearly all, no more than half of it stays', async () => {
    const log = logBuilder();
    for (let turn = 0; turn < 30; turn++) {
      log.user(`${turn}: ${'word '.repeat(40)}`);
      log.agent('Yes.');
    }
    const roomy = { maxSize: 40, keepFirst: 1, maxSummaryTokens: 50_000, maxUserWordTokens: 50_000 };
    const before = View.fromEvents(log.events).tokens();
    const done = condensationOf(await condense(log.events, roomy, { script: () => 'Words.' }));
    expect(done.summary?.match(/word word/g)?.length).toBeGreaterThan(10);
    expect(View.fromEvents([...log.events, done]).tokens()).toBeLessThan(before * 0.75);
  });

  test('with them it is never longer than maxSummaryTokens: what the model wrote yields', async () => {
    const script = () => `FIRST ${'more words '.repeat(3_000)} LAST`;
    const log = spoken();
    const done = condensationOf(await condense(log.events, { ...limits, maxSummaryTokens: 500 }, { script }));
    const view = View.fromEvents([...log.events, done]);
    const summary = [...view.events].find(({ type }) => type === 'condensation-summary');
    expect(view.tokensOf(summary as never)).toBeLessThanOrEqual(500);
    expect(view.tokensOf(summary as never)).toBeGreaterThan(400);
    for (const part of ['FIRST', 'characters left out', 'LAST', 'answer in French.', 'src/parser.ts'])
      expect(done.summary).toContain(part);
  });

  test('the next summary is given what the model wrote, without what stands behind it', async () => {
    const log = spoken();
    log.add(condensationOf(await condense(log.events, limits, { script: () => 'WRITTEN BEFORE' })));
    for (let index = 0; index < 20; index++) log.call('read', { path: `later-${index}` }, words.repeat(5));
    const run = await condense(log.events, limits);
    const prompt = JSON.stringify(run.llm.requests[0]?.messages);
    expect(prompt).toContain('<previous_summary>\\nWRITTEN BEFORE\\n</previous_summary>');
    expect(condensationOf(run).summary).toContain('- Keep the tabs, and\n  answer in French.');
    expect(condensationOf(run).summary).toContain('- File modified: src/parser.ts');
  });
});

describe('behind the agent’s request', () => {
  const cache = { key: 'k', cachedMessages: 3 };
  const tools = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }];
  const extended = { maxSize: 40, modelCall: { extendsAgentRequest: true } };
  const requestOf = (model: string) => (view: View) => ({ model, messages: view.toMessages(), tools, cache });
  const run = (
    options: { readonly script?: Script; readonly model?: string; readonly contextWindow?: number } = {},
  ) => {
    const { script = () => 'SUMMARY', model = 'small', contextWindow } = options;
    const llm = scriptedLLM({ script, model: 'small', ...(contextWindow === undefined ? {} : { contextWindow }) });
    return condense(task(30).events, extended, { llm, context: { agentRequest: requestOf(model) } });
  };

  test('the same messages, tools and hints, and one message more, which says where the summary ends', async () => {
    const { llm, view, ...done } = await run();
    const [request] = llm.requests;
    const messages = view.toMessages();
    expect(request).toMatchObject({ tools, cache });
    expect(request).not.toHaveProperty('toolChoice');
    expect(request?.messages.slice(0, -1)).toEqual(messages);
    const question = JSON.stringify(request?.messages.at(-1));
    const forgotten = condensationOf({ llm, view, ...done }).forgottenEventIds;
    const next = view.events.at((view.indexOf(forgotten.at(-1) ?? '') ?? 0) + 1);
    expect(next).toMatchObject({ type: 'action' });
    expect(question).toContain(
      JSON.stringify((next as { toolCall: { arguments: string } }).toolCall.arguments).slice(3, -3),
    );
    expect(question).not.toContain('word word');
    expect(condensationOf({ llm, view, ...done }).metadata).toMatchObject({ extendsAgentRequest: true });
  });

  test('words of the user at the end are one message with the question', async () => {
    const log = task(30);
    log.user('And now?');
    const context = { agentRequest: requestOf('small') };
    const { llm } = await condense(log.events, extended, { context });
    const last = llm.requests[0]?.messages.at(-1);
    expect(last).toMatchObject({ role: 'user', content: [{ text: 'And now?' }, { type: 'text' }] });
  });

  test.each([
    { why: 'the agent’s model is another', options: { model: 'large' } },
    { why: 'there is no room in the window', options: { contextWindow: 6_000 } },
  ])('not if $why: one request of its own', async ({ options }) => {
    const done = await run(options);
    expect(done.llm.requests).toHaveLength(1);
    expect(done.llm.requests[0]).not.toHaveProperty('tools');
    expect(condensationOf(done).metadata).toMatchObject({ extendsAgentRequest: false });
  });

  test.each<{ readonly how: string; readonly first: ReturnType<Extract<Script, (...args: never) => unknown>> }>([
    { how: 'calls a tool', first: { text: 'Let me see.', toolCalls: [{ name: 'read' }] } },
    { how: 'says nothing', first: '' },
    { how: 'is cut off', first: { text: 'S', finishReason: 'length' } },
    { how: 'has no room', first: new ContextWindowExceededError('too long', { provider: 'test', kind: 'input' }) },
    { how: 'refuses the request', first: new InvalidRequestError('no', { provider: 'test' }) },
  ])('a model that $how is asked once more, in a request of its own', async ({ first }) => {
    const done = await run({ script: (_, index) => (index === 0 ? first : 'SUMMARY') });
    expect(done.llm.requests).toHaveLength(2);
    expect(done.llm.requests[1]).not.toHaveProperty('tools');
    expect(condensationOf(done)).toMatchObject({ summary: `${summaryHeader}\n\nSUMMARY` });
    expect(done.reports).toEqual([]);
  });

  test.each([
    { how: 'is down', error: new ServiceUnavailableError('overloaded', { provider: 'test' }) },
    { how: 'knows no key', error: new AuthenticationError('no such key', { provider: 'test' }) },
  ])('a provider that $how is not asked again', async ({ error }) => {
    const done = await run({ script: () => error });
    expect(done.llm.requests).toHaveLength(1);
    expect(done.result).toBe(done.view);
    expect(done.reports).toMatchObject([{ outcome: 'failed', data: { kind: 'error' } }]);
  });
});

test('what still runs is named, whatever the model writes', async () => {
  const log = task(2);
  log.call('exec_command', { cmd: 'npm run dev' }, 'Process running with session ID 40112\nOutput:\n');
  for (let index = 0; index < 12; index++) log.call('read', { path: `later-${index}` }, words);
  const run = await condense(log.events, { maxSize: 20 });
  expect(condensationOf(run).summary).toContain('- Still running: 40112 (npm run dev)');
});
