import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
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
import { amortizedForgettingCondenser } from './amortized-forgetting.js';
import type { AmortizedForgettingOptions } from './amortized-forgetting.js';

const report = () => {};

/** What is sent before each of so many model calls, each of which adds one message that can be cut off. */
async function sizes(options: AmortizedForgettingOptions, calls: number) {
  const log = logBuilder({ idPrefix: '' });
  const projection = new ViewProjection();
  const sent: (readonly string[])[] = [];
  for (let call = 0; call < calls; call++) {
    projection.append(log.agent(`${call}`));
    const condenser = amortizedForgettingCondenser(options);
    const result = await condenser.condense(projection.view, { report });
    if (isCondensation(result)) projection.append(result);
    expect(await condenser.condense(projection.view, { report })).toBe(projection.view);
    sent.push([...projection.view.events].map(({ id }) => id));
  }
  return sent;
}

/** The spec's table: views grow up to the limit, then to half of it and one more, and so on every `maxSize - half` steps. */
function expectedSize(call: number, maxSize: number): number {
  const target = Math.floor(maxSize / 2);
  return call < maxSize ? call + 1 : target + ((call - maxSize) % (maxSize + 1 - target));
}

test.each([
  { maxSize: 2, keepFirst: 0 },
  { maxSize: 3, keepFirst: 0 },
  { maxSize: 10, keepFirst: 1 },
  { maxSize: 11, keepFirst: 0 },
  { maxSize: 12, keepFirst: 0 },
  { maxSize: 12, keepFirst: 4 },
  { maxSize: 13, keepFirst: 5 },
  { maxSize: 120, keepFirst: 4 },
])('maxSize $maxSize, keepFirst $keepFirst: the sizes of 150 calls, and what stays', async ({ maxSize, keepFirst }) => {
  const sent = await sizes({ maxSize, keepFirst }, 150);
  expect(sent.map(({ length }) => length)).toEqual(sent.map((_, call) => expectedSize(call, maxSize)));
  for (const [call, ids] of sent.entries()) {
    const all = Array.from({ length: call + 1 }, (_, index) => String(index + 1));
    expect(ids.slice(0, keepFirst)).toEqual(all.slice(0, keepFirst));
    // The rest is what came last, without a gap.
    expect(ids.slice(keepFirst)).toEqual(all.slice(keepFirst).slice(-(ids.length - keepFirst) || all.length));
  }
});

test('protected events stay, and do not count', async () => {
  const log = logBuilder();
  log.agent('one');
  log.system();
  log.user('first');
  for (let index = 0; index < 6; index++) log.agent('word');
  log.user('latest');
  for (let index = 0; index < 11; index++) log.agent('word');
  const view = View.fromEvents(log.events);
  const result = await amortizedForgettingCondenser({ maxSize: 20, keepFirst: 1 }).condense(view, { report });
  if (!isCondensation(result)) throw new Error('nothing was forgotten');
  log.add(result);
  const after = View.fromEvents(log.events);
  expect([...after.events].map(({ type }) => type).slice(0, 4)).toEqual([
    'message',
    'system-prompt',
    'message',
    'message',
  ]);
  expect(after.events.length).toBe(10 + 3);
  expect(result.summary).toBeUndefined();
  expect(result.metadata).toMatchObject({
    condenser: 'amortizedForgetting',
    reason: 'events',
    tokensBefore: view.tokens(),
    tokensAfter: after.tokens(),
  });
});

test('pinned events stay, and do not count', async () => {
  const log = logBuilder({ idPrefix: '' });
  for (let index = 0; index < 11; index++) log.agent('word');
  log.add(pin(['3', '5']));
  const view = View.fromEvents(log.events);
  const result = await amortizedForgettingCondenser({ maxSize: 10, keepFirst: 1 }).condense(view, { report });
  expect(isCondensation(result) && result.forgottenEventIds).toEqual(['2', '4', '6', '7']);
});

describe('a request', () => {
  test.each([
    // On half of what there is; the original forgets nothing at or under half of maxSize, and fails.
    { length: 3, forgets: [2] },
    { length: 4, forgets: [2, 3] },
    { length: 5, forgets: [2, 3, 4] },
    { length: 8, forgets: [2, 3, 4, 5] },
    { length: 12, forgets: [2, 3, 4, 5, 6, 7] },
  ])('on $length of at most 24 events forgets $forgets', async ({ length, forgets }) => {
    const log = logBuilder({ idPrefix: '' });
    for (let index = 0; index < length; index++) log.agent('word');
    log.request();
    const result = await amortizedForgettingCondenser({ maxSize: 24, keepFirst: 1 }).condense(
      View.fromEvents(log.events),
      { report },
    );
    expect(isCondensation(result) && result.forgottenEventIds).toEqual(forgets.map(String));
  });

  test('known fault of the original: on a history without room it says so, and does not fail', async () => {
    const log = logBuilder();
    log.system();
    log.user('go');
    log.call('bash');
    log.request();
    const condense = async () => amortizedForgettingCondenser().condense(View.fromEvents(log.events), { report });
    await expect(condense()).rejects.toThrow(NoCondensationAvailableError);
  });

  test('the first events are forgotten too where nothing else can be', async () => {
    const log = logBuilder({ idPrefix: '' });
    for (let index = 0; index < 4; index++) log.agent('word');
    log.request();
    const result = await amortizedForgettingCondenser().condense(View.fromEvents(log.events), { report });
    expect(isCondensation(result) && result.forgottenEventIds).toEqual(['1', '2', '3']);
  });
});

test('too many tokens are cut to half of the budget', async () => {
  const log = logBuilder();
  for (let index = 0; index < 40; index++) log.agent('word '.repeat(100));
  const view = View.fromEvents(log.events);
  const result = await amortizedForgettingCondenser({ maxTokens: 2_000 }).condense(view, { report });
  if (!isCondensation(result)) throw new Error('nothing was forgotten');
  log.add(result);
  const after = View.fromEvents(log.events);
  expect(after.tokens()).toBeLessThanOrEqual(1_000);
  expect(after.tokens()).toBeGreaterThan(700);
  expect(result.metadata).toMatchObject({ reason: 'tokens', tokenBudget: 2_000 });
});

test('what a stage before it hid half of is not forgotten, and no batch is parted', async () => {
  const log = logBuilder();
  const call = (name: string) => ({ name, result: 'ok' });
  const { actions, results } = log.batch([call('a'), call('b')]);
  for (let index = 0; index < 20; index++) log.call('c');
  const half = new Set([actions[0]?.id ?? '', results[0]?.id ?? '']);
  const derived = View.fromEvents(log.events).without(half);
  const result = await amortizedForgettingCondenser({ maxSize: 10, keepFirst: 0 }).condense(derived, { report });
  if (!isCondensation(result)) throw new Error('nothing was forgotten');
  log.add(result);
  const after = View.fromEvents(log.events);
  for (const { id } of [...actions, ...results]) expect(after.indexOf(id)).toBeDefined();
  expect(messageViolations(after.toMessages())).toEqual([]);
});

test('on clean and dirty logs it holds its bound and settles, and what is left can be sent', async () => {
  let condensations = 0;
  const options = fc.record({ keepFirst: fc.nat(5), room: fc.integer({ min: 1, max: 20 }) });
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.boolean(), options, async (seed, dirty, { keepFirst, room }) => {
      const maxSize = 2 * (keepFirst + room) + (seed % 2 === 0 ? 0 : 1);
      const condenser = amortizedForgettingCondenser({ keepFirst, maxSize });
      const history: Event[] = [...randomLog({ seed, length: 150, dirty }).events];
      for (let round = 0; ; round++) {
        expect(round).toBeLessThan(4);
        const view = View.fromEvents(history);
        const result = await orNothing(() => condenser.condense(view, { report }));
        if (result === undefined || !isCondensation(result)) break;
        condensations++;
        history.push(result);
        const after = View.fromEvents(history);
        expect(after.tokens()).toBeLessThan(view.tokens());
        expect(messageViolations(after.toMessages())).toEqual([]);
        const cuts = [...view.cutPoints, view.events.length];
        const largest = Math.max(...cuts.map((cut, index) => cut - (cuts[index - 1] ?? 0)));
        const kept = protectedEventIds(view).size;
        expect(after.events.length).toBeLessThanOrEqual(Math.floor(maxSize / 2) + kept + 2 * largest);
      }
    }),
    { seed: 20_261_121, numRuns: fewer(60) },
  );
  expect(condensations).toBeGreaterThan(fewer(30));
});

test.each([
  { maxSize: 4, keepFirst: 2 },
  { maxSize: 0 },
  { maxSize: 1 },
  { keepFirst: -1 },
  { maxSize: 10.5 },
  { maxTokens: 0 },
])('%j is refused', (options) => {
  expect(() => amortizedForgettingCondenser(options)).toThrow(InvalidCondenserConfigError);
});

describe('contract', () => {
  const log = logBuilder();
  log.system();
  log.user('Make the parser accept comments.');
  for (let step = 1; step <= 60; step++) log.call('read_file', { path: `${step}.ts` }, `part ${step}`);
  condenserContract({
    test,
    seeds: contractSeeds,
    create: () => amortizedForgettingCondenser({ maxSize: 20 }),
    actsOn: log.events,
  });
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
