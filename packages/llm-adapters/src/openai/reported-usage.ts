import type { Usage } from '@palimpsest/events';
import { field } from '../http-failure.js';

/** What a provider counted, in one shape. */
export interface ReportedUsage {
  readonly usage: Usage;
  /** How much of what was written to the cache was written for another life than the ordinary one. Unit: tokens. */
  readonly cacheWrites: Readonly<Record<string, number>>;
}

/**
 * Reads the usage object of either API; undefined where there is none or nothing in it is a count. The input that they report
 * includes what was cached, the output what was reasoned.
 *
 * @see provider-protocol B.8, C.3
 */
export function reportedUsage(usage: unknown): ReportedUsage | undefined {
  const input = countIn(usage, 'prompt_tokens') ?? countIn(usage, 'input_tokens');
  const output = countIn(usage, 'completion_tokens') ?? countIn(usage, 'output_tokens');
  if (input === undefined && output === undefined) return undefined;
  const inputDetails = field(usage, 'prompt_tokens_details') ?? field(usage, 'input_tokens_details');
  const outputDetails = field(usage, 'completion_tokens_details') ?? field(usage, 'output_tokens_details');
  const cacheReadTokens =
    countIn(inputDetails, 'cached_tokens') ??
    // DeepSeek, then Kimi.
    countIn(usage, 'prompt_cache_hit_tokens') ??
    countIn(usage, 'cached_tokens') ??
    0;
  const cacheWriteTokens = countIn(inputDetails, 'cache_write_tokens') ?? 0;
  const reasoningTokens = countIn(outputDetails, 'reasoning_tokens');
  const twelveHours = countIn(field(inputDetails, 'cache_write_tokens_details'), 'ttl_12h_tokens') ?? 0;
  return {
    usage: {
      uncachedInputTokens: Math.max(0, (input ?? 0) - cacheReadTokens - cacheWriteTokens),
      cacheReadTokens,
      cacheWriteTokens,
      outputTokens: output ?? 0,
      ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    },
    cacheWrites: twelveHours > 0 ? { '12h': twelveHours } : {},
  };
}

function countIn(value: unknown, key: string): number | undefined {
  const count = field(value, key);
  return typeof count === 'number' && count >= 0 ? count : undefined;
}
