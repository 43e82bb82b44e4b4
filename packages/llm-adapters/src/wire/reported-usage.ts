import type { Usage } from '@palimpsest/events';
import type { CostDetails } from '../prices.js';
import { field } from './json-fields.js';

/**
 * The usage that a provider reported, in one shape, and the other facts that the price depends on. The input counts do not
 * overlap.
 */
export interface ReportedUsage extends CostDetails {
  readonly usage: Usage;
  readonly cacheWrites: Readonly<Record<string, number>>;
}

/**
 * The usage object of the Messages API. `input_tokens` excludes the tokens read from and written to the cache. Undefined if the
 * object holds no count.
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
 * The usage object of Chat Completions or the Responses API, as OpenAI, the servers that speak its protocol, and the logs of
 * agents name its counts. The input includes the tokens read from and written to the cache; the output includes reasoning.
 * Undefined if the object holds no count.
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

/** The counts of an input that includes the cache. Where it is smaller than the cache, the server has counted the cache beside it. */
export function inputCounts(
  input: number,
  cacheReadTokens: number,
  cacheWriteTokens: number,
): Pick<Usage, 'uncachedInputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'> {
  const cached = cacheReadTokens + cacheWriteTokens;
  return { uncachedInputTokens: input < cached ? input : input - cached, cacheReadTokens, cacheWriteTokens };
}

/** A count under a name. Undefined if there is none. */
export function countIn(value: unknown, key: string): number | undefined {
  const count = field(value, key);
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}
