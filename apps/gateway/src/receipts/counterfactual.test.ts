import { expect, it } from 'vitest';
import { condensing, receipt } from '../../test-support/receipt.js';
import { accountOf } from './account.js';
import { counterfactual } from './counterfactual.js';
import type { Receipt } from './receipt.js';
import { stepsOf } from './steps.js';

/** The tokens that the control reads, writes, and lets the model write. */
const control = (receipts: readonly Receipt[]) =>
  counterfactual(stepsOf(receipts), { rereads: 'left-out' }).map(({ usage }) => [
    Math.round(usage.cacheReadTokens),
    Math.round(usage.cacheWriteTokens),
    Math.round(usage.outputTokens),
  ]);

const grown = [receipt({ counted: [0, 20_000, 100] }), receipt({ counted: [20_000, 10_000, 100] })];
const condensed = receipt({ counted: [5_000, 8_000, 50], ...condensing(19_000, 6_000), held: 32_000, sent: 13_000 });
const inForce = { way: 'condensed', inForce: 1 } as const;

it('is the requests themselves where nothing was condensed', () => {
  expect(control(grown)).toEqual(grown.map(({ usage: u }) => [u!.cacheReadTokens, u!.cacheWriteTokens, 100]));
  expect(accountOf(grown).savedUsd).toEqual({ least: 0, most: 0 });
});

it('goes on with the whole list, read from the cache, where the gateway has rewritten it', () => {
  const next = receipt({ counted: [13_000, 1_000, 60], ...inForce, held: 33_000, sent: 14_000 });
  expect(control([...grown, condensed, next])).toEqual([
    [0, 20_000, 100],
    [20_000, 10_000, 100],
    [30_000, 2_000, 50],
    [32_000, 1_000, 60],
  ]);
  expect(stepsOf([...grown, condensed, next]).map(({ held }) => held)).toEqual([20_000, 30_000, 32_000, 33_000]);
});

it('leaves a request out that was made for a re-read alone: the next answer is the answer to it', () => {
  const rereads = { results: 1, tokens: 900, outputTokens: 30, isAlone: true };
  const back = receipt({ counted: [13_000, 900, 70], ...inForce, held: 32_900, sent: 13_900, rereads });
  const next = receipt({ counted: [13_900, 1_000, 60], ...inForce, held: 33_900, sent: 14_900 });
  expect(control([...grown, condensed, back, next]).slice(2)).toEqual([
    [30_000, 2_000, 70],
    [32_000, 1_000, 60],
  ]);
});

it('leaves a re-read beside another call out, with the words that asked for it', () => {
  const rereads = { results: 1, tokens: 400, outputTokens: 30, isAlone: false };
  const back = receipt({ counted: [13_000, 900, 70], ...inForce, held: 32_900, sent: 13_900, rereads });
  expect(control([...grown, condensed, back]).slice(2)).toEqual([
    [30_000, 2_000, 20],
    [32_000, 500, 70],
  ]);
});

it('writes all of its list where the cache was cold, and only the end where it was not', () => {
  const warm = receipt({ minute: 4, counted: [12_900, 1_100, 60], ...inForce, held: 33_000, sent: 14_000 });
  const cold = receipt({ minute: 14, counted: [2_000, 12_000, 60], ...inForce, held: 33_000, sent: 14_000 });
  expect(control([...grown, condensed, warm]).at(-1)).toEqual([31_900, 1_100, 60]);
  expect(control([...grown, condensed, cold]).at(-1)).toEqual([2_000, 31_000, 60]);
});

it('takes the cache for warm at a rewrite, whatever that reads, and for cold by the clock', () => {
  const rewrite = (minute: number) =>
    receipt({ minute, held: 32_000, sent: 13_000, ...condensing(19_000, 6_000), counted: [0, 13_000, 50] });
  expect(control([...grown, rewrite(1)]).at(-1)).toEqual([30_000, 2_000, 50]);
  expect(control([...grown, rewrite(6)]).at(-1)).toEqual([0, 32_000, 50]);
  const long = grown.map((one) => ({ ...one, cacheWrites: { '1h': 1_000 } }));
  expect(control([...long, rewrite(6)]).at(-1)).toEqual([30_000, 2_000, 50]);
});

it('counts the list as another model counts it', () => {
  const other = receipt({
    model: 'claude-haiku-4-5',
    counted: [0, 7_000, 60],
    ...inForce,
    held: 33_000,
    sent: 14_000,
  });
  const [read = NaN, written = NaN] = control([...grown, condensed, other]).at(-1)!;
  expect(read).toBe(0);
  // Half as many tokens for the list of before, and for what is new.
  expect(written).toBeGreaterThan(16_000);
  expect(written).toBeLessThan(17_100);
});

it('pays what it does not read as the real request has paid, by life and by tier', () => {
  const tiers = [{ abovePromptTokens: 31_000, input: 2, cacheRead: 0.2, cacheWrite: 2.5, output: 10 }];
  const prices = { ...grown[0]!.prices!, tiers };
  const receipts = [...grown, condensed].map((one) => ({ ...one, prices, cacheWrites: { '1h': 4_000 } }));
  const last = counterfactual(stepsOf(receipts), { rereads: 'made' }).at(-1)!;
  expect(last.usage).toMatchObject({ uncachedInputTokens: 0, cacheReadTokens: 30_000, cacheWriteTokens: 2_000 });
  expect(last.cacheWrites).toEqual({ '1h': 1_000 });
  const { control: both, actual } = accountOf(receipts);
  const earlier = accountOf(receipts.slice(0, 2)).actual.usd!;
  expect(both.least.usd! - earlier).toBeCloseTo((30_000 * 0.2 + 2_000 * 2.5 + 50 * 10) / 1e6, 9);
  expect(actual.usd! - earlier).toBeCloseTo((5_000 * 0.1 + 4_000 * 2 + 4_000 * 1.25 + 50 * 5) / 1e6, 9);
});

it('takes the whole list from the provider where the gateway has sent it', () => {
  const fallen = receipt({ way: 'original', inForce: 0, counted: [0, 32_500, 50], held: 0, sent: 0 });
  expect(stepsOf([...grown, condensed, fallen]).at(-1)).toMatchObject({
    held: 32_500,
    growth: 500,
    cache: 'rewritten',
  });
  expect(control([...grown, condensed, fallen]).at(-1)).toEqual([32_000, 500, 50]);
});

it('is not misled by a short request between two others, of the same model or another', () => {
  const side = receipt({ counted: [0, 500, 9], held: 300, sent: 300, isRewrite: true });
  const back = receipt({ counted: [13_000, 1_000, 60], ...inForce, isRewrite: true, held: 33_000, sent: 14_000 });
  for (const model of ['claude-opus-4-5', 'claude-haiku-4-5'])
    expect(control([...grown, condensed, { ...side, model }, back]).at(-1)![0]).toBeGreaterThan(30_000);
  const early = [grown[0]!, { ...side, isRewrite: false }, grown[1]!];
  expect(control(early)).toEqual(
    early.map(({ usage: u }) => [u!.cacheReadTokens, u!.cacheWriteTokens, u!.outputTokens]),
  );
});

it('estimates what is hidden of a conversation whose first receipts are gone', () => {
  const first = receipt({ ...inForce, counted: [12_000, 1_000, 50], held: 32_000, sent: 13_000 });
  expect(control([first])).toEqual([[31_000, 1_000, 50]]);
});
