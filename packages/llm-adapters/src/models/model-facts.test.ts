import { describe, expect, it } from 'vitest';
import { modelFacts, modelName, modelTable } from './model-facts.js';

describe('modelName', () => {
  it.each([
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
    ['anthropic/claude-opus-4.8', 'claude-opus-4-8'],
    ['us.anthropic.claude-opus-4-5-20251101-v1:0', 'claude-opus-4-5'],
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet'],
    ['openai/gpt-5.4-mini', 'gpt-5.4-mini'],
    ['GPT-5.4-mini-2026-03-17', 'gpt-5.4-mini'],
    ['deepseek/deepseek-v4-pro:free', 'deepseek-v4-pro'],
    ['claude-opus-5-5[1m]', 'claude-opus-5-5'],
    ['mistral-large-2512', 'mistral-large-2512'],
  ])('of %s is %s', (model, name) => expect(modelName(model)).toBe(name));
});

describe('modelFacts', () => {
  it('knows which models bind thinking to what stands before it', () => {
    const rendering = (model: string) => modelFacts(model, 'anthropic').thinking;
    expect(rendering('claude-opus-5-5')).toBe('prefix-bound');
    expect(rendering('claude-sonnet-4-5-20250929')).toBe('latest-turn');
    expect(rendering('claude-3-5-haiku-20241022')).toBe('none');
  });

  it.each([
    ['claude-fable-5-2', { thinkingControl: 'always', acceptsForcedTools: false, acceptsSampling: false }],
    ['claude-sonnet-5-5', { thinkingControl: 'adaptive', acceptsForcedTools: true, acceptsSystemMessages: true }],
    ['claude-opus-4-8', { acceptsSystemMessages: true, acceptsSampling: false, cacheMinimumTokens: 1_024 }],
    ['claude-opus-4-7', { acceptsSystemMessages: false, acceptsSampling: false, cacheMinimumTokens: 2_048 }],
    ['claude-opus-4-6', { thinkingControl: 'adaptive-or-manual', acceptsSampling: true, acceptsPrefill: false }],
    ['claude-haiku-4-5', { thinkingControl: 'manual', acceptsPrefill: true, contextWindow: 200_000 }],
  ])('knows what %s takes', (model, facts) => {
    expect(modelFacts(model, 'anthropic')).toMatchObject({ ...facts, isAssumed: false });
  });

  it.each([
    [
      'gpt-6.2-sol',
      {
        needsResponsesForTools: true,
        efforts: expect.not.arrayContaining(['none']) as unknown,
        maxInputTokens: 922_000,
      },
    ],
    ['gpt-6.1-terra', { needsResponsesForTools: true, efforts: expect.arrayContaining(['none', 'max']) as unknown }],
    ['gpt-5.2', { needsResponsesForTools: false, acceptsSampling: false }],
    ['ft:gpt-4o-2024-08-06:acme::abc123', { thinking: 'none', acceptsSampling: true, contextWindow: 128_000 }],
    ['o3-mini', { thinkingControl: 'always', acceptsSampling: false }],
  ])('knows what %s takes', (model, facts) => {
    expect(modelFacts(model, 'openai')).toMatchObject({ ...facts, isAssumed: false });
  });

  it('gives a model that it does not know the newest behaviour of its provider, no window, and says so', () => {
    const claude = modelFacts('claude-next-9', 'anthropic');
    expect(claude).toMatchObject({ thinking: 'prefix-bound', thinkingControl: 'always', isAssumed: true });
    expect(claude).not.toHaveProperty('contextWindow');
    expect(modelFacts('gpt-9', 'openai')).toMatchObject({ needsResponsesForTools: true, isAssumed: true });
    expect(modelFacts('my-own', 'compatible')).toMatchObject({ needsResponsesForTools: false, isAssumed: true });
  });

  it('asks a model behind a router in the way of the router', () => {
    expect(modelFacts('anthropic/claude-opus-5.5', 'compatible')).toMatchObject({
      provider: 'compatible',
      contextWindow: 1_000_000,
      acceptsSampling: false,
      acceptsForcedTools: true,
      isAssumed: false,
    });
  });

  it('lets a user know better', () => {
    const facts = modelFacts('claude-next-9', 'anthropic', { contextWindow: 2_000_000, acceptsForcedTools: true });
    expect(facts).toMatchObject({ contextWindow: 2_000_000, acceptsForcedTools: true, isAssumed: true });
  });
});

describe('the table', () => {
  it('names each model once for each provider, as modelName writes it', () => {
    const names = modelTable.flatMap(({ provider, models }) => models.map((name) => `${provider} ${name}`));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const models = modelTable.flatMap((row) => row.models);
    expect(models.filter((name) => modelName(name) !== name)).toEqual([]);
  });

  it('holds no limit that contradicts another', () => {
    for (const { models, contextWindow = 0, maxInputTokens = 0, maxOutputTokens = 0 } of modelTable) {
      expect(maxInputTokens, models[0]).toBeLessThanOrEqual(contextWindow);
      expect(maxOutputTokens, models[0]).toBeLessThanOrEqual(contextWindow);
    }
  });
});
