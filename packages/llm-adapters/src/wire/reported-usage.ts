import { usageSchema } from '@palimpsest/events';
import type { Usage } from '@palimpsest/events';
import type { CostDetails } from '../prices.js';
import { field, listOf } from './json-fields.js';

/**
 * The usage that a provider reported, in one shape, and the other facts that the price depends on. The input counts do not
 * overlap.
 */
export interface ReportedUsage extends CostDetails {
  readonly usage: Usage;
  readonly cacheWrites: Readonly<Record<string, number>>;
}

/**
 * Reads the usage object of the Messages API. `input_tokens` excludes the tokens read from and written to the cache.
 * Undefined if the object holds no count.
 *
 * @see provider-rules A.7
 */
export function anthropicUsage(usage: unknown): ReportedUsage | undefined {
  const input = countIn(usage, 'input_tokens');
  const output = countIn(usage, 'output_tokens');
  if (input === undefined && output === undefined) return undefined;
  const reasoningTokens = countIn(field(usage, 'output_tokens_details'), 'thinking_tokens');
  return {
    usage: {
      uncachedInputTokens: input ?? 0,
      cacheReadTokens: countIn(usage, 'cache_read_input_tokens') ?? 0,
      cacheWriteTokens: countIn(usage, 'cache_creation_input_tokens') ?? 0,
      outputTokens: output ?? 0,
      ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    },
    cacheWrites: { '1h': countIn(field(usage, 'cache_creation'), 'ephemeral_1h_input_tokens') ?? 0 },
  };
}

/**
 * Reads the usage object of Chat Completions or the Responses API, as OpenAI, the servers that speak its protocol, and
 * the logs of agents name its counts. The input includes the tokens read from and written to the cache; the output
 * includes reasoning. Undefined if the object holds no count.
 *
 * @see provider-rules B.8, C.3
 */
export function openaiUsage(usage: unknown): ReportedUsage | undefined {
  const input = countIn(usage, 'prompt_tokens') ?? countIn(usage, 'input_tokens');
  const output = countIn(usage, 'completion_tokens') ?? countIn(usage, 'output_tokens');
  if (input === undefined && output === undefined) return undefined;
  const inputDetails = field(usage, 'prompt_tokens_details') ?? field(usage, 'input_tokens_details');
  const outputDetails = field(usage, 'completion_tokens_details') ?? field(usage, 'output_tokens_details');
  const cacheReadTokens =
    countIn(inputDetails, 'cached_tokens') ??
    // DeepSeek, Kimi, the rollouts of Codex, the metrics of OpenHands.
    firstCount(usage, ['prompt_cache_hit_tokens', 'cached_tokens', 'cached_input_tokens', 'cache_read_tokens']) ??
    0;
  const cacheWriteTokens = countIn(inputDetails, 'cache_write_tokens') ?? countIn(usage, 'cache_write_tokens') ?? 0;
  const reasoningTokens = countIn(outputDetails, 'reasoning_tokens') ?? countIn(usage, 'reasoning_output_tokens');
  const twelveHours = countIn(field(inputDetails, 'cache_write_tokens_details'), 'ttl_12h_tokens') ?? 0;
  return {
    usage: {
      ...inputCounts(input ?? 0, cacheReadTokens, cacheWriteTokens),
      outputTokens: output ?? 0,
      ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    },
    cacheWrites: twelveHours > 0 ? { '12h': twelveHours } : {},
  };
}

function firstCount(value: unknown, keys: readonly string[]): number | undefined {
  return keys.map((key) => countIn(value, key)).find((count) => count !== undefined);
}

/**
 * Returns the counts of an input that includes the cache. Where it is smaller than the cache, the server has counted
 * the cache beside it.
 */
function inputCounts(
  input: number,
  cacheReadTokens: number,
  cacheWriteTokens: number,
): Pick<Usage, 'uncachedInputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'> {
  const cached = cacheReadTokens + cacheWriteTokens;
  return { uncachedInputTokens: input < cached ? input : input - cached, cacheReadTokens, cacheWriteTokens };
}

/** Returns a count under a name. Undefined if there is none. */
function countIn(value: unknown, key: string): number | undefined {
  const count = field(value, key);
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}

/**
 * Returns the usage of one call of a model, in any form that a provider or a framework gives: our own, Messages, Chat
 * Completions, Responses, Bedrock Converse, Gemini, LangChain's `usage_metadata`, the AI SDK 5 to 7 (also that of its
 * providers), the OpenAI Agents SDK. Undefined if the value has none of these forms, or is of several calls.
 *
 * @see provider-rules A.7, B.8, C.3
 */
export function usageInAnyForm(reported: unknown): Usage | undefined {
  const own = usageSchema.safeParse(reported);
  if (own.success) return own.data;
  // The Agents SDK adds up the calls of a turn.
  if ((countIn(reported, 'requests') ?? 1) > 1) return undefined;
  for (const read of forms) {
    const usage = read(reported);
    if (usage !== undefined) return usage;
  }
  return undefined;
}

type Form = (reported: unknown) => Usage | undefined;

const forms: readonly Form[] = [
  // Only Messages and its copies name what was read from the cache so, and count it beside the input.
  (reported) =>
    field(reported, 'cache_read_input_tokens') === undefined &&
    field(reported, 'cache_creation_input_tokens') === undefined
      ? undefined
      : anthropicUsage(reported)?.usage,
  (reported) =>
    counted(reported, { input: 'promptTokenCount', output: 'candidatesTokenCount' }, () => geminiParts(reported)),
  (reported) => counted(reported, { input: 'input_tokens', output: 'output_tokens' }, () => langchainParts(reported)),
  bedrockUsage,
  providerOfAiSdkUsage,
  (reported) => counted(reported, { input: 'inputTokens', output: 'outputTokens' }, () => camelParts(reported)),
  // LangChain's `tokenUsage`, and the AI SDK of before 5.
  (reported) => counted(reported, { input: 'promptTokens', output: 'completionTokens' }, () => ({})),
  (reported) => openaiUsage(reported)?.usage,
  // What a framework has not read it passes on.
  (reported) => (field(reported, 'raw') === undefined ? undefined : usageInAnyForm(field(reported, 'raw'))),
];

interface Parts {
  readonly read?: number | undefined;
  readonly write?: number | undefined;
  readonly reasoning?: number | undefined;
  /** Output that the count of the output leaves out. @defaultValue 0 */
  readonly more?: number | undefined;
}

/** Returns a usage whose input includes the cache. Undefined if the form is another one. */
function counted(
  reported: unknown,
  names: { readonly input: string; readonly output: string },
  partsOf: () => Parts | undefined,
): Usage | undefined {
  const [input, output] = [countIn(reported, names.input), countIn(reported, names.output)];
  const parts = input === undefined ? undefined : partsOf();
  return parts === undefined ? undefined : usageOf({ input: input ?? 0, output: output ?? 0 }, parts);
}

function usageOf(
  { input, output }: { readonly input: number; readonly output: number },
  { read = 0, write = 0, reasoning, more = 0 }: Parts,
): Usage {
  return {
    ...inputCounts(input, read, write),
    outputTokens: output + more,
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

/** @see https://ai.google.dev/api/generate-content#UsageMetadata */
function geminiParts(reported: unknown): Parts {
  const reasoning = countIn(reported, 'thoughtsTokenCount');
  return { read: countIn(reported, 'cachedContentTokenCount'), reasoning, more: reasoning };
}

function langchainParts(reported: unknown): Parts | undefined {
  const details = field(reported, 'input_token_details') ?? field(reported, 'output_token_details');
  if (details === undefined) return undefined;
  const input = field(reported, 'input_token_details');
  return {
    read: countIn(input, 'cache_read'),
    write: countIn(input, 'cache_creation'),
    reasoning: countIn(field(reported, 'output_token_details'), 'reasoning'),
  };
}

/**
 * Bedrock counts what was read from the cache and written to it beside the input. @see
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
function bedrockUsage(reported: unknown): Usage | undefined {
  const input = countIn(reported, 'inputTokens');
  const [read, write] = [countIn(reported, 'cacheReadInputTokens'), countIn(reported, 'cacheWriteInputTokens')];
  if (input === undefined || (read === undefined && write === undefined)) return undefined;
  return {
    uncachedInputTokens: input,
    cacheReadTokens: read ?? 0,
    cacheWriteTokens: write ?? 0,
    outputTokens: countIn(reported, 'outputTokens') ?? 0,
  };
}

/** `LanguageModelV3Usage` and `LanguageModelV4Usage`: each count is an object. */
function providerOfAiSdkUsage(reported: unknown): Usage | undefined {
  const [input, output] = [field(reported, 'inputTokens'), field(reported, 'outputTokens')];
  const [read, write] = [countIn(input, 'cacheRead'), countIn(input, 'cacheWrite')];
  const total = countIn(input, 'total') ?? countIn(input, 'noCache');
  if (total === undefined) return undefined;
  return usageOf(
    { input: total, output: countIn(output, 'total') ?? 0 },
    { read, write, reasoning: countIn(output, 'reasoning') },
  );
}

/**
 * Reads the forms of the AI SDK 6 and 7 (`inputTokenDetails`), 5 (`cachedInputTokens`), and the Agents SDK
 * (`inputTokensDetails`, one or a list).
 */
function camelParts(reported: unknown): Parts {
  const [input, output] = [field(reported, 'inputTokenDetails'), field(reported, 'outputTokenDetails')];
  const [inputs, outputs] = [field(reported, 'inputTokensDetails'), field(reported, 'outputTokensDetails')];
  const ofAgents = listOf(inputs)[0] ?? inputs;
  const outputOfAgents = listOf(outputs)[0] ?? outputs;
  return {
    read:
      countIn(input, 'cacheReadTokens') ?? countIn(ofAgents, 'cached_tokens') ?? countIn(reported, 'cachedInputTokens'),
    write: countIn(input, 'cacheWriteTokens') ?? countIn(ofAgents, 'cache_write_tokens'),
    reasoning:
      countIn(output, 'reasoningTokens') ??
      countIn(outputOfAgents, 'reasoning_tokens') ??
      countIn(reported, 'reasoningTokens'),
  };
}
