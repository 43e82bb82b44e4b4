import { describe, expect, it } from 'vitest';
import { claudeModel } from './model.js';

describe('claudeModel', () => {
  it.each([
    ['claude-opus-5-5', 5.05],
    ['claude-opus-4-5-20251101', 4.05],
    ['claude-sonnet-4-20250514', 4],
    ['claude-3-7-sonnet-20250219', 3.07],
    ['claude-fable-5', 5],
    ['claude-next', 5.05],
    ['some-model', 5.05],
  ])('places %s at %d', (model, generation) => expect(claudeModel(model).generation).toBe(generation));

  it('knows what binds thinking, and what only signs it', () => {
    const binding = (model: string) => claudeModel(model).binding;
    expect(
      ['opus-5-5', 'sonnet-5-5', 'haiku-5-5', 'fable-5-1', 'fable-5-2', 'mythos-5-2'].map((name) =>
        binding(`claude-${name}`),
      ),
    ).toEqual(Array.from({ length: 6 }, () => 'enforced'));
    expect(binding('claude-mythos-5-1')).toBe('signed');
    expect(['opus-5', 'sonnet-5', 'fable-5', 'mythos-5', 'opus-4-8'].map((name) => binding(`claude-${name}`))).toEqual(
      Array.from({ length: 5 }, () => 'none'),
    );
    expect(binding('claude-next')).toBe('enforced');
  });

  it('does not take one model for another whose name it begins with', () => {
    expect(claudeModel('claude-sonnet-5').cacheMinimumTokens).toBe(1_024);
    expect(claudeModel('claude-sonnet-5-5').cacheMinimumTokens).toBe(512);
    expect(claudeModel('claude-opus-4-1-20250805')).toMatchObject({
      contextWindow: 200_000,
      cacheMinimumTokens: 1_024,
    });
    expect(claudeModel('claude-opus-4-1-20250805')).not.toHaveProperty('maxOutputTokens');
    expect(claudeModel('claude-opus-4-5-20251101')).toMatchObject({
      maxOutputTokens: 64_000,
      cacheMinimumTokens: 4_096,
    });
  });

  it('knows which thinking can be asked for', () => {
    const types = (model: string) => [...claudeModel(model).thinkingTypes].sort();
    expect(types('claude-fable-5-1')).toEqual(['adaptive']);
    expect(types('claude-opus-5-5')).toEqual(['adaptive', 'disabled']);
    expect(types('claude-opus-4-6')).toEqual(['adaptive', 'disabled', 'enabled']);
    expect(types('claude-haiku-4-5')).toEqual(['disabled', 'enabled']);
    expect(types('claude-3-5-sonnet-20241022')).toEqual(['disabled']);
  });
});
