import { describe, expect, it } from 'vitest';
import { anthropicUsage, openaiUsage, usageInAnyForm } from './reported-usage.js';

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

describe('the input of a request of 10,000 tokens, 6,000 of them read from the cache and 3,000 written to it', () => {
  const expected = { uncachedInputTokens: 1_000, cacheReadTokens: 6_000, cacheWriteTokens: 3_000, outputTokens: 9 };
  const reasoning = { ...expected, reasoningTokens: 4 };

  it.each<[string, object, object]>([
    ['our own', expected, expected],
    [
      'Messages',
      {
        input_tokens: 1_000,
        output_tokens: 9,
        cache_read_input_tokens: 6_000,
        cache_creation_input_tokens: 3_000,
      },
      expected,
    ],
    [
      'Chat Completions',
      {
        prompt_tokens: 10_000,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 6_000, cache_write_tokens: 3_000 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
      reasoning,
    ],
    [
      'Responses',
      {
        input_tokens: 10_000,
        output_tokens: 9,
        input_tokens_details: { cached_tokens: 6_000, cache_write_tokens: 3_000 },
        output_tokens_details: { reasoning_tokens: 4 },
      },
      reasoning,
    ],
    [
      'a server that counts the cache beside the input',
      {
        prompt_tokens: 1_000,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 6_000, cache_write_tokens: 3_000 },
      },
      expected,
    ],
    [
      'Bedrock',
      {
        inputTokens: 1_000,
        outputTokens: 9,
        totalTokens: 10_009,
        cacheReadInputTokens: 6_000,
        cacheWriteInputTokens: 3_000,
      },
      expected,
    ],
    [
      'LangChain',
      {
        input_tokens: 10_000,
        output_tokens: 9,
        total_tokens: 10_009,
        input_token_details: { cache_read: 6_000, cache_creation: 3_000 },
        output_token_details: { reasoning: 4 },
      },
      reasoning,
    ],
    [
      'the AI SDK 6 and 7',
      {
        inputTokens: 10_000,
        inputTokenDetails: { noCacheTokens: 1_000, cacheReadTokens: 6_000, cacheWriteTokens: 3_000 },
        outputTokens: 9,
        outputTokenDetails: { textTokens: 5, reasoningTokens: 4 },
        totalTokens: 10_009,
      },
      reasoning,
    ],
    [
      'a provider of the AI SDK 6 and 7',
      {
        inputTokens: { total: 10_000, noCache: 1_000, cacheRead: 6_000, cacheWrite: 3_000 },
        outputTokens: { total: 9, text: 5, reasoning: 4 },
      },
      reasoning,
    ],
    [
      'a provider of the AI SDK that has read nothing',
      {
        inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: undefined, text: undefined, reasoning: undefined },
        raw: {
          input_tokens: 1_000,
          output_tokens: 9,
          cache_read_input_tokens: 6_000,
          cache_creation_input_tokens: 3_000,
        },
      },
      expected,
    ],
    [
      'the Agents SDK',
      {
        requests: 1,
        inputTokens: 10_000,
        outputTokens: 9,
        totalTokens: 10_009,
        inputTokensDetails: [{ cached_tokens: 6_000, cache_write_tokens: 3_000 }],
        outputTokensDetails: [{ reasoning_tokens: 4 }],
      },
      reasoning,
    ],
    [
      'the end of a stream of the Agents SDK',
      {
        inputTokens: 10_000,
        outputTokens: 9,
        inputTokensDetails: { cached_tokens: 6_000, cache_write_tokens: 3_000 },
        outputTokensDetails: { reasoning_tokens: 4 },
      },
      reasoning,
    ],
  ])('%s', (_, reported, usage) => {
    expect(usageInAnyForm(reported)).toEqual(usage);
  });
});

it.each([
  ['Gemini', { promptTokenCount: 10_000, cachedContentTokenCount: 6_000, candidatesTokenCount: 5, thoughtsTokenCount: 4, totalTokenCount: 10_009 }], // prettier-ignore
  ['the AI SDK 5', { inputTokens: 10_000, outputTokens: 9, totalTokens: 10_009, reasoningTokens: 4, cachedInputTokens: 6_000 }], // prettier-ignore
])('nothing was written to the cache: %s', (_, reported) => {
  const input = { uncachedInputTokens: 4_000, cacheReadTokens: 6_000, cacheWriteTokens: 0 };
  expect(usageInAnyForm(reported)).toEqual({ ...input, outputTokens: 9, reasoningTokens: 4 });
});

it.each([
  undefined,
  null,
  'many',
  {},
  { tokens: 9 },
  { inputTokens: undefined, outputTokens: undefined },
  // Not one call.
  { requests: 3, inputTokens: 30_000, outputTokens: 9, totalTokens: 30_009 },
])('no usage of one call: %j', (reported) => {
  expect(usageInAnyForm(reported)).toBeUndefined();
});
