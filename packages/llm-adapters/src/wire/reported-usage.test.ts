import { describe, expect, it } from 'vitest';
import { anthropicUsage, openaiUsage } from './reported-usage.js';

const counts = { cacheReadTokens: 6_000, outputTokens: 5 };

describe('the input of a request of 10,000 tokens, 6,000 of them read from the cache and 3,000 written to it', () => {
  const expected = { ...counts, uncachedInputTokens: 1_000, cacheWriteTokens: 3_000 };
  const details = { cached_tokens: 6_000, cache_write_tokens: 3_000 };

  it.each([
    ['Chat Completions', { prompt_tokens: 10_000, completion_tokens: 5, prompt_tokens_details: details }],
    ['Responses', { input_tokens: 10_000, output_tokens: 5, input_tokens_details: details }],
    [
      "OpenHands' metrics",
      { prompt_tokens: 10_000, completion_tokens: 5, cache_read_tokens: 6_000, cache_write_tokens: 3_000 },
    ],
  ])('%s', (_, usage) => {
    expect(openaiUsage(usage)?.usage).toEqual(expected);
  });

  it('Messages, which counts beside each other', () => {
    const usage = {
      input_tokens: 1_000,
      cache_read_input_tokens: 6_000,
      cache_creation_input_tokens: 3_000,
      output_tokens: 5,
    };
    expect(anthropicUsage(usage)?.usage).toEqual(expected);
  });
});

it.each([
  ['DeepSeek', { prompt_tokens: 10_000, completion_tokens: 5, prompt_cache_hit_tokens: 6_000 }],
  ['Kimi', { prompt_tokens: 10_000, completion_tokens: 5, cached_tokens: 6_000 }],
  ['the rollouts of Codex', { input_tokens: 10_000, output_tokens: 5, cached_input_tokens: 6_000 }],
])('what was read from the cache is part of the input: %s', (_, usage) => {
  expect(openaiUsage(usage)?.usage).toEqual({ ...counts, uncachedInputTokens: 4_000, cacheWriteTokens: 0 });
});

it('reasoning is part of the output, whatever its name', () => {
  const reasoning = { usage: { outputTokens: 9, reasoningTokens: 4 } };
  expect(openaiUsage({ completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 4 } })).toMatchObject(
    reasoning,
  );
  expect(openaiUsage({ output_tokens: 9, reasoning_output_tokens: 4 })).toMatchObject(reasoning);
  expect(anthropicUsage({ output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } })).toMatchObject(reasoning);
});

it('writes for a longer life are told apart', () => {
  const anthropic = { input_tokens: 1, output_tokens: 1, cache_creation: { ephemeral_1h_input_tokens: 7 } };
  expect(anthropicUsage(anthropic)?.cacheWrites).toEqual({ '1h': 7 });
  const details = { cache_write_tokens: 9, cache_write_tokens_details: { ttl_12h_tokens: 7 } };
  expect(openaiUsage({ prompt_tokens: 10, prompt_tokens_details: details })?.cacheWrites).toEqual({ '12h': 7 });
});

it.each([undefined, null, 'none', {}, { prompt_tokens: null, input_tokens: -1, output_tokens: Number.NaN }])(
  'nothing is counted in %j',
  (usage) => {
    expect(anthropicUsage(usage)).toBeUndefined();
    expect(openaiUsage(usage)).toBeUndefined();
  },
);
