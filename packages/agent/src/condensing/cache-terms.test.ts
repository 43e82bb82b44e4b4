import type { LLM } from '@palimpsest/llm-adapters';
import { modelFacts, pricesAt } from '@palimpsest/llm-adapters';
import { expect, test } from 'vitest';
import { cacheTermsOf } from './condense.js';

const complete = (): never => {
  throw new Error('not asked');
};

function model(name: string, others: Partial<LLM> = {}): LLM {
  return { model: name, complete, ...others };
}

test('prices are shares of the price of an uncached token', () => {
  const prices = pricesAt('claude-opus-5-5', new Date('2026-11-01'));
  expect(cacheTermsOf(model('claude-opus-5-5', { prices })).prices).toEqual({ read: 0.05, write: 1.25, output: 5 });
});

test('what is not known of a model is left out', () => {
  expect(cacheTermsOf(model('mine'))).toEqual({});
  expect(cacheTermsOf(model('free', { prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }))).toEqual({});
  expect(cacheTermsOf(model('gpt-6-sol', { facts: modelFacts('gpt-6-sol', 'openai') })).cacheLifeMs).toBeUndefined();
});

test('the life of a cache comes without a time, which the log has', () => {
  const terms = cacheTermsOf(model('claude-opus-5-5', { facts: modelFacts('claude-opus-5-5', 'anthropic') }));
  expect(terms.cacheLifeMs).toBe(300_000);
  expect(terms).not.toHaveProperty('now');
});
