import { afterEach, expect, test, vi } from 'vitest';
import { answer, text } from '../test-support/conversations.js';
import { fakeContext, fakePi, opus } from '../test-support/fake-pi.js';
import { optionsOf } from './options.js';
import { modelOf, RequestFacts, usageOf } from './request-facts.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('prices are shares of the input price, and the window ends where pi compacts', () => {
  expect(modelOf(opus)).toEqual({
    model: 'claude-opus-5-5',
    contextWindow: 1_000_000 - 16_384,
    cacheLifeMs: 300_000,
    prices: { read: 0.05, write: 1.25, output: 5 },
  });
  vi.stubEnv('PI_CACHE_RETENTION', 'long');
  expect(modelOf(opus).cacheLifeMs).toBe(3_600_000);
});

test('a model without prices has none, and without a price for the cache that of the input', () => {
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  expect(modelOf({ id: 'qwen', cost: free })).toEqual({ model: 'qwen' });
  const gpt = { input: 2, output: 8, cacheRead: 0.2, cacheWrite: 0 };
  expect(modelOf({ id: 'gpt-5', cost: gpt }).prices).toEqual({ read: 0.1, write: 1, output: 4 });
});

test("the user's own reserve counts, and none where pi does not compact", () => {
  const windowWith = (compaction: object) => modelOf(opus, { compaction }).contextWindow;
  expect(windowWith({ enabled: false })).toBe(1_000_000);
  expect(windowWith({ reserveTokens: 935_000 })).toBe(65_000);
  const modelOverrides = { 'anthropic/claude-opus-5-5': { reserveTokens: 400_000 } };
  expect(windowWith({ reserveTokens: 1, modelOverrides })).toBe(600_000);
});

test('only active tools count, without our own, and the same list is given again', () => {
  const pi = fakePi();
  const facts = new RequestFacts(pi, 'recall');
  const [first, again] = [facts.of(fakeContext({ id: 'one' })), facts.of(fakeContext({ id: 'one' }))];
  expect(first.tools).toEqual([{ name: 'read', description: 'Reads a file.', parameters: { type: 'object' } }]);
  expect(again.tools).toBe(first.tools);
  expect(first).toMatchObject({ hasRecall: false, usdPerToken: 0.000_004, system: 'You are a coding assistant.' });
});

test('usage that counts nothing is none', () => {
  expect(usageOf(answer([text('Done.')], { usage: { input: 2, output: 3, cacheRead: 40, cacheWrite: 5 } }))).toEqual({
    input_tokens: 2,
    output_tokens: 3,
    cache_read_input_tokens: 40,
    cache_creation_input_tokens: 5,
  });
  expect(usageOf(answer([], { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }))).toBeUndefined();
});

test('the environment comes before settings, and what is no option is named', () => {
  const pi = fakePi({ palimpsest: { maxTokens: 50_000, preset: 'cheapest' } });
  expect(optionsOf(pi)).toEqual({ isOn: true, maxTokens: 50_000, preset: 'cheapest', problems: [] });
  expect(optionsOf(pi, { PALIMPSEST: 'off', PALIMPSEST_MAX_TOKENS: '20000' })).toMatchObject({
    isOn: false,
    maxTokens: 20_000,
  });
  const wrong = optionsOf(fakePi({ palimpsest: { maxTokens: 'many', preset: 'best' } }));
  expect(wrong).toMatchObject({ isOn: true, maxTokens: undefined, preset: undefined });
  expect(wrong.problems).toHaveLength(2);
  expect(optionsOf(fakePi({ palimpsest: false })).isOn).toBe(false);
});
