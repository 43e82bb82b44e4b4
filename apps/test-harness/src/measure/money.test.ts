import { expect, test } from 'vitest';
import { costOf, pricesOfModel, rereadCost } from './money.js';

const rates = { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };

test('a call costs its cached, written, uncached and output tokens', () => {
  const use = { cacheRead: 1_000, cacheWrite: 100, input: 10, output: 2 };
  expect(costOf(use, { name: 'row', ...rates })).toBeCloseTo(100 + 125 + 10 + 10);
});

test('a long prompt has the rates of the highest bound that it passes', () => {
  const tier = (abovePromptTokens: number, cacheRead: number) => ({ ...rates, cacheRead, abovePromptTokens });
  const prices = { name: 'row', ...rates, tiers: [tier(200, 0.4), tier(100, 0.2)] };
  const read = (cacheRead: number) => costOf({ cacheRead, cacheWrite: 0, input: 0, output: 0 }, prices);
  expect([read(100), read(101), read(201)].map((cost) => cost.toFixed(2))).toEqual(['10.00', '20.20', '80.40']);
});

test('a source that is read again costs a call, its text, and ten calls that hold it', () => {
  const fault = { modelCall: 3, source: 1, promptTokens: 20_000, sourceTokens: 500, kinds: ['anchor'] };
  expect(rereadCost(fault, { name: 'row', ...rates })).toBeCloseTo(5 * 60 + 1.25 * 560 + 0.1 * (20_000 + 5_000));
  const large = rereadCost({ ...fault, sourceTokens: 100_000 }, { name: 'row', ...rates });
  expect(large).toBe(rereadCost({ ...fault, sourceTokens: 8_000 }, { name: 'row', ...rates }));
});

test('the prices of a model are per token, and unknown models have none', () => {
  expect(pricesOfModel('claude-opus-5-5', new Date('2026-11-21'))).toMatchObject({ unit: 'USD', input: 4 / 1e6 });
  expect(pricesOfModel('nosuch', new Date('2026-11-21'))).toBeUndefined();
});
