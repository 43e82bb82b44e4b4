import type { Usage } from '@palimpsest/events';

/** What a model's tokens cost. Unit: USD per million tokens. */
export interface TokenPrices {
  /** Input that neither came from the prompt cache nor went into it. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Answer and thinking. */
  readonly output: number;
}

/** What a call cost at these prices. Unit: USD. */
export function costOf(usage: Usage, prices: TokenPrices): number {
  const perMillion =
    usage.uncachedInputTokens * prices.input +
    usage.cacheReadTokens * prices.cacheRead +
    usage.cacheWriteTokens * prices.cacheWrite +
    usage.outputTokens * prices.output;
  return perMillion / 1_000_000;
}
