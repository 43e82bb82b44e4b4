import { describe, expect, it } from 'vitest';
import { costOf } from '../prices.js';
import { modelFacts } from './model-facts.js';
import { pricesAt, priceTable } from './price-table.js';
import type { PriceRow } from './price-table.js';

const today = new Date('2026-11-21T12:00:00Z');
const usage = { uncachedInputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

describe('pricesAt', () => {
  it.each([
    ['claude-opus-5-5', 4, 20, 0.2, 5],
    ['claude-haiku-4-5-20251001', 1, 5, 0.1, 1.25],
    ['gpt-6-sol', 2, 10, 0.2, 2.5],
    ['gpt-5.2', 1.75, 14, 0.175, 1.75],
    ['gemini-2.5-pro', 1.25, 10, 0.125, 1.25],
  ])('knows %s', (model, input, output, cacheRead, cacheWrite) => {
    expect(pricesAt(model, today)).toMatchObject({ input, output, cacheRead, cacheWrite });
  });

  it('guesses nothing for a model that it does not know, or that is not sold yet', () => {
    expect(pricesAt('claude-next-9', today)).toBeUndefined();
    expect(pricesAt('ft:gpt-4o-2024-08-06:acme::abc123', today)).toBeUndefined();
    expect(pricesAt('claude-opus-5-5', new Date('2026-09-21T23:59:59Z'))).toBeUndefined();
    expect(pricesAt('claude-opus-5-5', new Date('2026-09-22T00:00:00Z'))).toBeDefined();
  });

  it('follows a change that is announced', () => {
    const at = (date: string) => pricesAt('gemini-4-argon', new Date(date))?.input;
    expect([at('2026-11-30T23:59:59Z'), at('2026-12-01T00:00:00Z')]).toEqual([2, 4]);
    const flash = (date: string) => pricesAt('gemini-3.7-flash', new Date(date))?.output;
    expect([flash('2026-12-31T23:59:59Z'), flash('2027-01-01T00:00:00Z')]).toEqual([3.75, 7.5]);
  });

  it('follows the hours of the day where prices do', () => {
    const at = (date: string) => pricesAt('deepseek-v4-pro', new Date(date))?.output;
    expect([at('2026-11-20T09:59:59Z'), at('2026-11-20T10:00:00Z')]).toEqual([3.96, 1.98]);
    // A Saturday.
    expect(at('2026-11-21T09:00:00Z')).toBe(1.98);
  });

  it('lets rows of a user go before', () => {
    const prices = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 };
    const mine: PriceRow = {
      models: ['claude-opus-5-5'],
      vendor: 'acme',
      prices,
      source: 'contract',
      checkedAt: '2026-11-01',
    };
    expect(pricesAt('claude-opus-5-5', today, [mine, ...priceTable])).toBe(prices);
  });
});

describe('the table', () => {
  it('says of each row where and when it was read, and holds sound numbers', () => {
    for (const { models, prices, source, checkedAt, validFrom, validTo } of priceTable) {
      expect(source, models[0]).not.toBe('');
      for (const day of [checkedAt, validFrom ?? checkedAt, validTo ?? checkedAt]) {
        expect(new Date(day).toISOString(), models[0]).toContain(day);
      }
      for (const { input, cacheRead, cacheWrite, output } of [prices, ...(prices.tiers ?? [])]) {
        expect(cacheRead, models[0]).toBeLessThan(input);
        expect(cacheWrite, models[0]).toBeGreaterThanOrEqual(input);
        expect(output, models[0]).toBeGreaterThan(input);
      }
    }
  });

  it('prices nothing but models of which the facts are known', () => {
    const providerOf = { anthropic: 'anthropic', openai: 'openai' } as const;
    const unknown = priceTable.flatMap(({ vendor, models }) =>
      models.filter(
        (model) => modelFacts(model, providerOf[vendor as keyof typeof providerOf] ?? 'compatible').isAssumed,
      ),
    );
    expect(unknown).toEqual([]);
  });
});

describe('costOf', () => {
  const prices = pricesAt('claude-haiku-5-5', today) ?? expect.unreachable();

  it('takes the tier of the whole prompt, cached or not', () => {
    const short = { ...usage, uncachedInputTokens: 1_000, cacheReadTokens: 99_000, outputTokens: 1_000 };
    expect(costOf(short, prices)).toBeCloseTo((1_000 * 0.1 + 99_000 * 0.01 + 1_000 * 0.5) / 1e6, 12);
    const long = { ...short, cacheWriteTokens: 1 };
    expect(costOf(long, prices)).toBeCloseTo((1_000 * 0.5 + 99_000 * 0.05 + 0.625 + 1_000 * 2.5) / 1e6, 12);
  });

  it('tells the lives of what was written apart', () => {
    const written = { ...usage, cacheWriteTokens: 3_000 };
    expect(costOf(written, prices)).toBeCloseTo((3_000 * 0.125) / 1e6, 12);
    expect(costOf(written, prices, { cacheWrites: { '1h': 2_000 } })).toBeCloseTo(
      (1_000 * 0.125 + 2_000 * 0.2) / 1e6,
      12,
    );
    // A life that has no price of its own costs the ordinary one.
    expect(costOf(written, prices, { cacheWrites: { '7d': 2_000 } })).toBeCloseTo((3_000 * 0.125) / 1e6, 12);
  });

  it('takes the highest tier that a prompt passes', () => {
    const rates = { input: 1, cacheRead: 0.1, cacheWrite: 1, output: 2 };
    const tiers = [
      { ...rates, input: 3, abovePromptTokens: 200 },
      { ...rates, input: 2, abovePromptTokens: 100 },
    ];
    const cost = (tokens: number) => costOf({ ...usage, uncachedInputTokens: tokens }, { ...rates, tiers }) * 1e6;
    expect([cost(100), cost(101), cost(201)].map(Math.round)).toEqual([100, 202, 603]);
  });
});
