import type { Usage } from '@palimpsest/events';

/** The usage of no call at all. */
export const noUsage: Usage = { uncachedInputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** The sum. `reasoningTokens` is present if any of the usages has it. */
export function sumUsage(usages: Iterable<Usage>): Usage {
  let sum = noUsage;
  for (const usage of usages) {
    const reasoning =
      sum.reasoningTokens === undefined && usage.reasoningTokens === undefined
        ? {}
        : { reasoningTokens: (sum.reasoningTokens ?? 0) + (usage.reasoningTokens ?? 0) };
    sum = {
      uncachedInputTokens: sum.uncachedInputTokens + usage.uncachedInputTokens,
      cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      ...reasoning,
    };
  }
  return sum;
}

/** All input tokens, cached or not. Unit: tokens. */
export function totalInputTokens(usage: Usage): number {
  return usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}
