import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { isCacheUnread } from './ledger.js';
import { pricedCondenser } from './priced.js';

interface Answer {
  readonly read?: number;
  readonly size?: number;
  readonly model?: string;
  readonly isEstimated?: boolean;
  readonly isRewritten?: boolean;
}

/** The view after each answer of an agent, with what the provider reported; the first is before any. */
function viewsOf(answers: readonly Answer[]): readonly View[] {
  const log = logBuilder();
  const lengths: number[] = [];
  log.user('Read on.');
  lengths.push(log.events.length);
  answers.forEach(({ read = 0, size = 20_000, model = 'm', isEstimated, isRewritten }, step) => {
    if (isRewritten === true) log.condensation([], { redactions: [] });
    const usage = {
      uncachedInputTokens: size - read,
      cacheReadTokens: read,
      cacheWriteTokens: 0,
      outputTokens: 50,
    };
    log.usage({ usage, model, purpose: 'agent', ...(isEstimated === true ? { usageIsEstimated: true } : {}) });
    log.call('read_file', { path: `src/${step}.ts` }, `export const part${step} = ${step};\n`.repeat(120));
    lengths.push(log.events.length);
  });
  return lengths.map((length) => View.fromEvents(log.events.slice(0, length)));
}

const unread = (answers: readonly Answer[]) => isCacheUnread(viewsOf(answers).at(-1) as View, {});
const misses = (count: number, answer: Answer = {}): readonly Answer[] => Array.from({ length: count }, () => answer);

test('three answers in a row that should have read and did not, until one reads', () => {
  expect(unread([])).toBe(false);
  expect(unread(misses(3))).toBe(false);
  expect(unread(misses(4))).toBe(true);
  expect(unread([...misses(9), { read: 15_000 }])).toBe(false);
  expect(unread([...misses(9), { read: 15_000 }, ...misses(3)])).toBe(true);
});

test('what could not have been read says nothing', () => {
  expect(unread(misses(9, { size: 3_000 }))).toBe(false);
  expect(unread(misses(9, { isEstimated: true }))).toBe(false);
  expect(unread(misses(9, { isRewritten: true }))).toBe(false);
  expect(unread(Array.from({ length: 9 }, (_, index) => ({ model: `m${index % 2}` })))).toBe(false);
});

test('priced then acts as without a cache, and as before when the cache reads again', async () => {
  const stepsToAct = async (answers: readonly Answer[]) => {
    for (const [count, view] of viewsOf(answers).entries()) {
      const made = await pricedCondenser({ preset: 'cheapest' }).condense(view, {
        prices: { read: 0.025, write: 1.25 },
      });
      if (isCondensation(made)) return count;
    }
    return Infinity;
  };
  const withCache = await stepsToAct(Array.from({ length: 60 }, () => ({ read: 19_000 })));
  const without = await stepsToAct(misses(60));
  expect(without).toBeGreaterThan(3);
  expect(without).toBeLessThan(withCache);
  expect(await stepsToAct(Array.from({ length: 60 }, (_, index) => ({ read: index < 3 ? 0 : 19_000 })))).toBe(
    withCache,
  );
});
