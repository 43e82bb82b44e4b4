import { describe, expect, it } from 'vitest';
import { classifyOverflow, rateLimitKind } from './overflow.js';
import type { Overflow } from './overflow.js';

const judged = (text: string, code?: string, statusCode = 400) => classifyOverflow({ statusCode, codes: [code], text });

const input = (inputTokens?: number, contextWindow?: number): Overflow => ({
  kind: 'input',
  inputTokens,
  contextWindow,
});
const answer = (inputTokens: number, contextWindow: number): Overflow => ({
  kind: 'input-and-output',
  inputTokens,
  contextWindow,
});

/** Every wording of provider-rules A.8, B.7, C.3, D and E.3, with the numbers of the real cases. */
const wordings: readonly (readonly [who: string, text: string, overflow: Overflow])[] = [
  ['Anthropic', 'prompt is too long: 208310 tokens > 200000 maximum', input(208_310, 200_000)],
  [
    'Anthropic, with the answer',
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    answer(178_959, 200_000),
  ],
  [
    'Anthropic, where the input alone is too long',
    'input length and `max_tokens` exceed context limit: 210000 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    input(210_000, 200_000),
  ],
  [
    'OpenAI',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
    input(204_308, 128_000),
  ],
  [
    'OpenAI, with the answer',
    "This model's maximum context length is 4097 tokens. However, you requested 4562 tokens (3062 in the messages, 1500 in the completion). Please reduce the length of the messages or completion.",
    answer(3_062, 4_097),
  ],
  [
    'OpenAI, with functions',
    "This model's maximum context length is 4097 tokens. However, you requested 5562 tokens (3062 in the messages, 1000 in the functions, 1500 in the completion). Please reduce the length of the messages, functions, or completion.",
    answer(4_062, 4_097),
  ],
  [
    'OpenAI, where functions are what is too much',
    "This model's maximum context length is 4097 tokens. However, you requested 6562 tokens (3062 in the messages, 2000 in the functions, 1500 in the completion). Please reduce the length of the messages, functions, or completion.",
    input(5_062, 4_097),
  ],
  [
    'OpenAI, with three parts in a list',
    "This model's maximum context length is 4097 tokens. However, you requested 9000 tokens (4000 in the messages, 3500 in the functions, and 1500 in the completion). Please reduce the length of the messages, functions, or completion.",
    input(7_500, 4_097),
  ],
  [
    'OpenAI, GPT-5',
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.',
    input(289_650, 272_000),
  ],
  [
    'OpenAI Responses',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    input(),
  ],
  [
    'Mistral',
    'Prompt contains 40000 tokens … too large for model with 32768 maximum context length',
    input(40_000, 32_768),
  ],
  [
    'Gemini',
    'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
    input(1_200_293, 1_048_576),
  ],
  [
    'DeepSeek',
    "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    answer(122_942, 131_072),
  ],
  ['Kimi', 'Your request exceeded model token limit: 262144 (requested: 270000)', input(undefined, 262_144)],
  ['DashScope', 'Range of input length should be [1, 98304]', input(undefined, 98_304)],
  [
    'xAI',
    "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
    input(136_973, 131_072),
  ],
  [
    'OpenRouter',
    'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output). Please reduce the length of either one, or use the "middle-out" transform…',
    answer(7_884, 131_072),
  ],
  [
    'OpenRouter, with tools',
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140956 tokens (7884 of text input, 2000 of tool input, 131072 in the output).",
    answer(9_884, 131_072),
  ],
  ['llama.cpp', 'the request exceeds the available context size, try increasing it', input()],
  [
    'llama.cpp, newer',
    'request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it',
    input(14_429, 8_192),
  ],
  [
    'vLLM',
    "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=134145)",
    answer(134_145, 262_144),
  ],
  [
    'vLLM, other wording',
    "You passed 31745 input tokens and requested 1024 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 31744 tokens…",
    answer(31_745, 32_768),
  ],
  ['vLLM, from the answer', 'max_tokens must be at least 1, got -186.', input()],
  [
    'LM Studio',
    'Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens…',
    input(15_857, 4_096),
  ],
  [
    'LM Studio, other wording',
    'The number of tokens to keep from the initial prompt is greater than the context length',
    input(),
  ],
  ['Ollama', 'prompt too long; exceeded max context length by 812 tokens', input()],
  ['Groq', 'Please reduce the length of the messages or completion.', input()],
  [
    'Together',
    "The input (40000 tokens) is longer than the model's context length (32768 tokens).",
    input(40_000, 32_768),
  ],
  ['Copilot', 'prompt token count of 140000 exceeds the limit of 128000', input(140_000, 128_000)],
  ['MiniMax', 'invalid params, context window exceeds limit', input()],
  ['Bedrock', 'Input is too long for requested model.', input()],
  ['z.ai', 'prompt exceeds max length', input()],
  ['LiteLLM', "The request exceeds the model's maximum context length", input()],
];

/** provider-rules E.1, and what sections A and B have of the same kind. */
const exclusions: readonly (readonly [why: string, text: string, statusCode?: number])[] = [
  ['any 429', 'prompt is too long: 208310 tokens > 200000 maximum', 429],
  [
    'a limit per minute that others used up',
    'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 28000, Requested 6278.',
    429,
  ],
  [
    'Anthropic, per minute',
    'This request would exceed the rate limit for your organization of 40000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested',
  ],
  ['too many requests', 'Too many requests. Reduce the length of the messages.'],
  ['a rate_limit type', 'rate_limit_error: prompt is too long'],
  ['throttling', 'ThrottlingException: Too many tokens, please wait before trying again.'],
  [
    'an answer that is too long',
    'max_tokens is too large: 6000. This model supports at most 4096 completion tokens, whereas you provided 6000.',
  ],
  [
    'the same of Anthropic',
    'max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-x',
  ],
  [
    'a string',
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 43 instead.",
  ],
  [
    'a list',
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 130 instead.",
  ],
  ['a budget', 'The thinking budget 32000 is invalid: exceeds the limit of 24576'],
  ['something else', 'Unknown parameter: foo'],
];

describe('classifyOverflow', () => {
  it.each(wordings)('knows the words of %s', (_who, text, overflow) => {
    expect(judged(text)).toEqual(overflow);
    expect(judged(text.toUpperCase())?.kind).toBe(overflow.kind);
  });

  it.each(exclusions.map(([why, text, status = 400]) => [why, text, status] as const))(
    'is not deceived by %s',
    (_why, text, statusCode) => {
      expect(judged(text, undefined, statusCode)).toBeUndefined();
    },
  );

  it.each([
    'rate limit',
    'rate_limit_error',
    'Too Many Requests',
    'tokens per min',
    'TPM: 30000',
    'per minute',
    'Too many tokens, please wait before trying again',
    'max_tokens is too large',
    'maximum allowed number of output tokens',
    'string too long',
    'array too long',
    'thinking budget',
  ])('takes the words "%s" for something else, whatever stands beside them', (words) => {
    expect(judged(`prompt is too long: 9 tokens > 8 maximum; ${words}`, 'context_length_exceeded')).toBeUndefined();
  });

  it.each(['context_length_exceeded', 'exceed_context_size_error', 'model_context_window_exceeded'])(
    'knows the code %s whatever the words',
    (code) => expect(judged('No.', code)).toEqual({ kind: 'input' }),
  );

  it('takes the sizes from fields where a server has them', () => {
    const body = { type: 'exceed_context_size_error', n_prompt_tokens: 14_429, n_ctx: 8_192 };
    const refusal = {
      statusCode: 400,
      codes: [body.type],
      text: 'the request exceeds the available context size',
      body,
    };
    expect(classifyOverflow(refusal)).toEqual(input(14_429, 8_192));
  });

  it('tells bytes from tokens', () => {
    expect(judged('Request exceeds the maximum size', 'request_too_large', 413)).toEqual({ kind: 'bytes' });
    expect(judged('<html>413 Request Entity Too Large</html>', undefined, 413)).toEqual({ kind: 'bytes' });
  });

  it.each([
    ['Anthropic', 'too many images and documents: 104 + 1 > 100'],
    ['Anthropic', 'Too much media: 0 document pages + 107 images > 100'],
    ['Anthropic', 'messages.38.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.'],
    [
      'Anthropic',
      'messages.108.content.3.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    ],
    [
      'Anthropic',
      'messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    ],
    ['Bedrock', 'messages: too many images: image_count > 20'],
    ['Bedrock', 'messages.0.content.2.image.source.bytes: image exceeds 5 MB maximum: 7167852 bytes > 5242880 bytes'],
    ['Azure', 'Too many images in request. Max is 10.'],
    ['a router', 'request contains 52 images, exceeding the maximum of 50 allowed per request'],
    ['vLLM', 'At most 5 image(s) may be provided in one request.'],
    [
      'vLLM',
      'You set image=2 (or defaulted to 1) in `--limit-mm-per-prompt`, but passed 3 image items in the same prompt.',
    ],
  ])('too many or too large images and documents, as %s says it: %s', (_, text) => {
    expect(judged(text)).toEqual({ kind: 'bytes' });
  });

  it('reads numbers with separators', () => {
    expect(judged('prompt is too long: 208,310 tokens > 200,000 maximum')).toEqual(input(208_310, 200_000));
  });
});

it.each([429, 413])('a request above the limit of a minute is an overflow: %d', (statusCode) => {
  const text =
    'Request too large for gpt-4o on tokens per min (TPM): Limit 30,000, Requested 36278. The input or output …';
  expect(classifyOverflow({ statusCode, codes: ['rate_limit_exceeded'], text })).toEqual({
    kind: 'input-and-output',
    contextWindow: 30_000,
    requestedTokens: 36_278,
  });
});

describe('rateLimitKind', () => {
  const kind = (text: string, code?: string, statusCode = 429) => rateLimitKind({ statusCode, codes: [code], text });

  it('says that waiting helps where others used up the minute', () => {
    const text = 'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 28000, Requested 6278.';
    expect(kind(text, 'rate_limit_exceeded')).toBe('rate');
    expect(kind('This request would exceed the rate limit of 40000 input tokens per minute')).toBe('rate');
  });

  it.each([
    ['insufficient_quota', 429],
    ['enforced_spend_limit_reached', 429],
    ['billing_error', 400],
    [undefined, 402],
  ])('says that there is nothing left to spend: %s, %d', (code, status) => {
    expect(kind('You exceeded your current quota.', code, status)).toBe('quota');
  });
});
