import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { InvalidRequestError } from '@palimpsest/llm-adapters';
import type { CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer, ScriptedLLM } from '@palimpsest/llm-adapters/testing';
import {
  isCondensation,
  NoCondensationAvailableError,
  pin,
  protectedEventIds,
  View,
  ViewProjection,
} from '@palimpsest/view';
import { condenserContract, messageViolations, randomLog } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contractSeeds } from '../../test-support/contract-seeds.js';
import { fewer } from '../../test-support/fewer.js';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { llmAttentionCondenser } from './llm-attention.js';
import type { LLMAttentionOptions } from './llm-attention.js';

const answering = (answer: ScriptedAnswer): ScriptedLLM => scriptedLLM({ script: () => answer });
const ranking = (...ids: readonly unknown[]): ScriptedLLM => answering(JSON.stringify({ ids }));

/** Messages that are all cut points, with ids from 1 and no user. */
function messages(count: number) {
  const log = logBuilder({ idPrefix: '' });
  for (let index = 1; index <= count; index++) log.agent(`message ${index}`);
  return log;
}

async function condense(options: LLMAttentionOptions, events: readonly Event[]) {
  const attempts: { outcome: string; reason: string; data?: Readonly<Record<string, unknown>> }[] = [];
  const view = View.fromEvents(events);
  const report = (attempt: (typeof attempts)[number]) => void attempts.push(attempt);
  const result = await llmAttentionCondenser(options).condense(view, { report });
  return { view, result, attempts };
}

async function kept(options: LLMAttentionOptions, events: readonly Event[]): Promise<readonly number[]> {
  const { result } = await condense(options, events);
  if (!isCondensation(result)) throw new Error('nothing was forgotten');
  expect(result.summary).toBeUndefined();
  return [...View.fromEvents([...events, result]).events].map(({ id }) => Number(id));
}

function promptOf(request: CompletionRequest | undefined): string {
  const parts = (request?.messages ?? []).flatMap(({ content }) => content);
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

describe('what stays of 11 messages at a size of 10, the first one and the newest always', () => {
  const { events } = messages(11);
  test.each([
    { what: 'the ranked ones', ids: [4, 6, 3], stays: [1, 3, 4, 6, 11] },
    { what: 'the most important of too many', ids: [8, 2, 5, 7, 9, 3], stays: [1, 2, 5, 8, 11] },
    { what: 'the newest after a short ranking', ids: [4], stays: [1, 4, 9, 10, 11] },
    { what: 'the newest without a ranking', ids: [], stays: [1, 8, 9, 10, 11] },
    {
      what: 'known fault of the original: unknown ids cost nothing',
      ids: [99, -3, 0, 1.5, 4],
      stays: [1, 4, 9, 10, 11],
    },
    { what: 'known fault of the original: repeated ids cost nothing', ids: [4, 4, 4, 5, 4], stays: [1, 4, 5, 10, 11] },
    {
      what: 'known fault of the original: the first events cost nothing',
      ids: [1, 1, 4, 11],
      stays: [1, 4, 9, 10, 11],
    },
    { what: 'ids in quotes are understood', ids: ['4', ' 5 ', null, {}], stays: [1, 4, 5, 10, 11] },
  ])('$what', async ({ ids, stays }) => {
    const llm = ranking(...ids);
    expect(await kept({ llm, maxSize: 10, keepFirst: 1 }, events)).toEqual(stays);
    expect(llm.requests).toHaveLength(1);
  });

  test.each(['I cannot do that.', '{"ids": "4"}', '{"ids": [4', '{}', 'null', '7'])(
    'known fault of the original: after %j the newest stay, and it is reported',
    async (text) => {
      const { result, attempts } = await condense({ llm: answering(text), maxSize: 10, keepFirst: 1 }, events);
      expect(isCondensation(result) && result.forgottenEventIds).toEqual(['2', '3', '4', '5', '6', '7']);
      expect(result).toMatchObject({ metadata: { fallback: 'recency', model: 'scripted' } });
      expect(attempts).toMatchObject([{ outcome: 'fallback', data: { condenser: 'llmAttention' } }]);
    },
  );
});

test('a list without the object around it, and one in words, are read too', async () => {
  const { events } = messages(11);
  for (const text of [
    '[4, 6, 3]',
    'The order is:\n```json\n{"ids": [4, 6, 3]}\n```',
    '<think>{"ids": [2]}</think>{"ids":[4,6,3]}',
  ])
    expect(await kept({ llm: answering(text), maxSize: 10, keepFirst: 1 }, events)).toEqual([1, 3, 4, 6, 11]);
});

test('event ids are understood as well as numbers', async () => {
  const log = logBuilder();
  for (let index = 0; index < 11; index++) log.agent('word');
  const llm = ranking('event-4', 'event-6', 'event-3', 'event-99');
  const { result } = await condense({ llm, maxSize: 10, keepFirst: 1 }, log.events);
  const after = View.fromEvents([...log.events, result as never]);
  expect([...after.events].map(({ id }) => id)).toEqual([1, 3, 4, 6, 11].map((number) => `event-${number}`));
});

test('the model reads each event with its number, and answers in a format', async () => {
  const llm = ranking(4);
  const log = messages(9);
  log.call('read_file', { path: 'src/a.ts' }, 'export const a = 1;');
  log.agent('done');
  const { result } = await condense({ llm, maxSize: 10, keepFirst: 1 }, log.events);
  const [request] = llm.requests;
  expect(request?.onDelta).toBeUndefined();
  expect(request?.tools).toBeUndefined();
  expect(request?.responseFormat).toMatchObject({
    name: 'ImportantEventSelection',
    schema: { properties: { ids: { type: 'array', items: { type: 'integer' } } }, required: ['ids'] },
  });
  const prompt = promptOf(request);
  for (let number = 1; number <= 12; number++) expect(prompt).toContain(`<event number="${number}"`);
  expect(prompt).toContain('read_file: {"path":"src/a.ts"}');
  expect(prompt).toContain('About 3 of these events can stay.');
  expect(result).toMatchObject({
    metadata: {
      condenser: 'llmAttention',
      reason: 'events',
      ranked: 1,
      model: 'scripted',
      usage: expect.anything() as unknown,
    },
  });
});

test('a model that refuses formats is asked by words', async () => {
  const llm = scriptedLLM({
    script: (request) =>
      request.responseFormat === undefined
        ? '{"ids": [4, 6, 3]}'
        : new InvalidRequestError('response_format is not supported', { provider: 'x' }),
  });
  expect(await kept({ llm, maxSize: 10, keepFirst: 1 }, messages(11).events)).toEqual([1, 3, 4, 6, 11]);
  expect(llm.requests).toHaveLength(2);
  expect(promptOf(llm.requests[1])).toContain('"ids"');
});

test('a history that the model refuses as too long is shown to it shorter', async () => {
  const log = logBuilder({ idPrefix: '' });
  for (let index = 1; index <= 11; index++) log.agent(`message ${index} ${'word '.repeat(300)}`);
  const llm = scriptedLLM({ script: () => '{"ids": [4, 6, 3]}', contextWindow: 2_500 });
  // It does not know its own window.
  const unaware: LLM = { model: llm.model, complete: (request) => llm.complete(request) };
  const maxEventCharacters = 1_000;
  expect(
    await kept({ llm: unaware, maxSize: 10, keepFirst: 1, modelCall: { maxEventCharacters } }, log.events),
  ).toEqual([1, 3, 4, 6, 11]);
  expect(llm.requests.length).toBeGreaterThan(1);
  const lengths = llm.requests.map((request) => promptOf(request).length);
  expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
});

test('a prompt of your own is what it reads', async () => {
  const llm = ranking(4);
  const prompt = 'Mine:{% for event in events %} {{ event.number }}{% endfor %}';
  await condense({ llm, maxSize: 10, keepFirst: 1, modelCall: { prompt } }, messages(11).events);
  expect(promptOf(llm.requests[0])).toMatch(/^Mine: 1 2 3 4 5 6 7 8 9 10 11\n/);
});

describe('units', () => {
  const call = (name: string) => ({ name, result: 'ok' });

  test('naming one event of a batch keeps all of it, and no batch is split', async () => {
    const log = logBuilder({ idPrefix: '' });
    log.agent('1');
    const { results } = log.batch([call('a'), call('b')]);
    for (let index = 6; index <= 21; index++) log.agent(String(index));
    expect(await kept({ llm: ranking(4), maxSize: 20, keepFirst: 1 }, log.events)).toEqual([
      1, 2, 3, 4, 5, 17, 18, 19, 20, 21,
    ]);
    expect(results).toHaveLength(2);
  });

  test('one that is larger than the room goes, and leaves it to others', async () => {
    const log = logBuilder({ idPrefix: '' });
    log.agent('1');
    log.batch([call('a'), call('b'), call('c'), call('d'), call('e'), call('f')]);
    for (let index = 14; index <= 22; index++) log.agent(String(index));
    expect(await kept({ llm: ranking(4), maxSize: 20, keepFirst: 1 }, log.events)).toEqual([
      1, 14, 15, 16, 17, 18, 19, 20, 21, 22,
    ]);
  });

  test('the newest step stays whole, also when there is no room for anything else; then no model is asked', async () => {
    const log = messages(12);
    log.batch([call('a'), call('b'), call('c'), call('d')]);
    const llm = ranking(3);
    expect(await kept({ llm, maxSize: 12, keepFirst: 1 }, log.events)).toEqual([1, 13, 14, 15, 16, 17, 18, 19, 20]);
    expect(llm.requests).toHaveLength(0);
  });

  test('pinned events stay, and do not count', async () => {
    const log = messages(11);
    log.add(pin(['2', '3']));
    expect(await kept({ llm: ranking(5), maxSize: 10, keepFirst: 1 }, log.events)).toEqual([1, 2, 3, 5, 9, 10, 11]);
  });

  test('protected events stay, and do not count', async () => {
    const log = logBuilder({ idPrefix: '' });
    log.agent('1');
    log.system();
    log.user('first');
    for (let index = 4; index <= 10; index++) log.agent(String(index));
    log.user('latest');
    for (let index = 12; index <= 21; index++) log.agent(String(index));
    const stays = await kept({ llm: ranking(5, 6), maxSize: 20, keepFirst: 1 }, log.events);
    expect(stays).toEqual([1, 2, 3, 5, 6, 11, 15, 16, 17, 18, 19, 20, 21]);
  });
});

describe('a request', () => {
  test.each([
    { length: 12, ids: [5, 4], stays: [1, 4, 5, 10, 11, 12] },
    { length: 5, ids: [3], stays: [1, 5] },
    { length: 3, ids: [2], stays: [1, 3] },
  ])('on $length of at most 40 messages', async ({ length, ids, stays }) => {
    const log = messages(length);
    log.request();
    expect(await kept({ llm: ranking(...ids), maxSize: 40, keepFirst: 1 }, log.events)).toEqual(stays);
  });

  test('where only the first events could go, they do', async () => {
    const log = messages(4);
    log.request();
    const llm = ranking(2);
    expect(await kept({ llm, maxSize: 40, keepFirst: 4 }, log.events)).toEqual([4]);
    expect(llm.requests).toHaveLength(0);
  });

  test('where nothing could go, it says so', async () => {
    const log = logBuilder();
    log.user('go');
    log.call('bash');
    log.request();
    await expect(condense({ llm: ranking(1) }, log.events)).rejects.toThrow(NoCondensationAvailableError);
  });
});

test('too many tokens are cut to half of the budget, by importance', async () => {
  const log = logBuilder({ idPrefix: '' });
  for (let index = 0; index < 40; index++) log.agent('x'.repeat(500));
  const { result } = await condense({ llm: ranking(10, 11, 12), maxTokens: 2_000, keepFirst: 1 }, log.events);
  if (!isCondensation(result)) throw new Error('nothing was forgotten');
  const after = View.fromEvents([...log.events, result]);
  expect([...after.events].map(({ id }) => Number(id))).toEqual([1, 10, 11, 12, 38, 39, 40]);
  expect(after.tokens()).toBeLessThanOrEqual(1_000);
  expect(result.metadata).toMatchObject({ reason: 'tokens', tokenBudget: 2_000, tokensAfter: after.tokens() });
});

describe('fails closed', () => {
  const hanging: LLM = { model: 'silent', complete: () => new Promise(() => {}) };
  test.each([
    { what: 'throws', llm: answering(new Error('socket hang up')), kind: 'error' },
    { what: 'says nothing', llm: answering({ text: ' ' }), kind: 'empty' },
    { what: 'is cut off', llm: answering({ text: '{"ids": [1', finishReason: 'length' }), kind: 'truncated' },
    { what: 'is too slow', llm: hanging, kind: 'timeout' },
    {
      what: 'refuses every way',
      llm: answering(new InvalidRequestError('no such model', { provider: 'x' })),
      kind: 'error',
    },
  ])('a model that $what leaves the history, and it is reported', async ({ llm, kind }) => {
    const log = messages(11);
    const options = { llm, maxSize: 10, keepFirst: 1, modelCall: { timeoutMs: 5 } };
    const { view, result, attempts } = await condense(options, log.events);
    expect(result).toBe(view);
    expect(attempts).toMatchObject([{ outcome: 'failed', data: { condenser: 'llmAttention', kind } }]);
    log.request();
    await expect(condense(options, log.events)).rejects.toThrow(NoCondensationAvailableError);
  });

  test.each([
    { maxSize: 4, keepFirst: 2 },
    { maxSize: 3 },
    { keepFirst: -1 },
    { modelCall: { timeoutMs: 0 } },
    { modelCall: { maxEventCharacters: 10 } },
    { modelCall: { maxOutputTokens: 0 } },
    { maxTokens: 0 },
    { modelCall: { prompt: 'no events' } },
  ])('%j is refused', (options) => {
    expect(() => llmAttentionCondenser({ llm: ranking(), ...options })).toThrow(InvalidCondenserConfigError);
  });
});

/** A model with a taste of its own that is the same for the same request. */
function anyRanking(): ScriptedLLM {
  return scriptedLLM({
    script: (request) => {
      const { length } = promptOf(request);
      return JSON.stringify({ ids: Array.from({ length: 30 }, (_, index) => ((length * 7 + index * 13) % 160) - 3) });
    },
  });
}

test('on clean and dirty logs it holds its bound and settles, and what is left can be sent', async () => {
  let condensations = 0;
  const options = fc.record({ keepFirst: fc.nat(5), room: fc.integer({ min: 2, max: 20 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.boolean(),
      fc.boolean(),
      options,
      async (seed, dirty, derived, { keepFirst, room }) => {
        const maxSize = 2 * (keepFirst + room) + (seed % 2 === 0 ? 0 : 1);
        const condenser = llmAttentionCondenser({ llm: anyRanking(), keepFirst, maxSize });
        const history: Event[] = [...randomLog({ seed, length: 150, dirty }).events];
        // A stage before it may have hidden anything, halves of batches too.
        const hidden = new Set(history.flatMap(({ id }, index) => (derived && index % 9 === 4 ? [id] : [])));
        for (let round = 0; ; round++) {
          expect(round).toBeLessThan(4);
          const view = View.fromEvents(history);
          const result = await orNothing(() => condenser.condense(view.without(hidden), { report: () => {} }));
          if (result === undefined || !isCondensation(result)) break;
          condensations++;
          history.push(result);
          const after = View.fromEvents(history);
          expect(after.tokens()).toBeLessThan(view.tokens());
          expect(messageViolations(after.toMessages())).toEqual([]);
          expect(after.notes.length).toBe(view.notes.length);
          if (derived) continue;
          const cuts = [...view.cutPoints, view.events.length];
          const largest = Math.max(...cuts.map((cut, index) => cut - (cuts[index - 1] ?? 0)));
          const kept = protectedEventIds(view).size;
          expect(after.events.length).toBeLessThanOrEqual(Math.floor(maxSize / 2) + kept + 2 * largest);
        }
      },
    ),
    { seed: 20_261_121, numRuns: fewer(50) },
  );
  expect(condensations).toBeGreaterThan(fewer(30));
});

describe('contract', () => {
  const log = logBuilder();
  log.system();
  log.user('Make the parser accept comments.');
  for (let step = 1; step <= 40; step++) log.call('read_file', { path: `${step}.ts` }, `part ${step}`);
  condenserContract({
    test,
    seeds: contractSeeds,
    create: () => llmAttentionCondenser({ llm: anyRanking(), maxSize: 20 }),
    createHanging: () =>
      llmAttentionCondenser({ llm: { model: 'silent', complete: () => new Promise(() => {}) }, maxSize: 20 }),
    actsOn: log.events,
  });
});

test('with so much pinned that hardly anything could go, no ranking is paid for that nothing comes of', async () => {
  const log = messages(150);
  const pinned = pin(log.events.map(({ id }) => id));
  const projection = new ViewProjection();
  for (const event of [...log.events, pinned]) projection.append(event);
  let paidForNothing = 0;
  let condensations = 0;
  const llm = ranking(151, 152);
  const condenser = llmAttentionCondenser({ llm, maxSize: 20 });
  for (let step = 0; step < 60; step++) {
    projection.append(log.agent(`step ${step}`));
    const before = llm.requests.length;
    const result = await condenser.condense(projection.view, { report: () => {} });
    if (isCondensation(result)) {
      condensations++;
      projection.append(result);
    } else if (llm.requests.length > before) paidForNothing++;
  }
  expect(paidForNothing).toBe(0);
  expect(condensations).toBeGreaterThan(0);
});

/** A log may ask for what nobody can do: where all responses have one id and a call of them waits, all of it is one batch. */
async function orNothing<Result>(condense: () => Result | Promise<Result>): Promise<Result | undefined> {
  try {
    return await condense();
  } catch (error) {
    if (!NoCondensationAvailableError.isInstance(error)) throw error;
    return undefined;
  }
}
