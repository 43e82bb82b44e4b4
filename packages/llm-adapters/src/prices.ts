import type { Usage } from '@palimpsest/events';

/** What a model's tokens cost. Unit: USD per million tokens. */
export interface TokenRates {
  /** Input that neither came from the prompt cache nor went into it. */
  readonly input: number;
  readonly cacheRead: number;
  /** Into the cache for its ordinary life. */
  readonly cacheWrite: number;
  /** Into the cache for another life, by its name at the provider: `1h`, `12h`. @defaultValue `cacheWrite` */
  readonly cacheWriteByTtl?: Readonly<Record<string, number>>;
  /** Answer and thinking. */
  readonly output: number;
}

/** {@link TokenRates}, and other rates for long prompts where a provider has them. */
export interface TokenPrices extends TokenRates {
  /** The rates of a whole call whose prompt is longer than a bound; the highest bound that it passes counts. */
  readonly tiers?: readonly PriceTier[];
}

/** The rates of a call with a long prompt. */
export interface PriceTier extends TokenRates {
  /** Unit: tokens of input, cached or not. */
  readonly abovePromptTokens: number;
}

/** What {@link Usage} does not say of a call and its price depends on. */
export interface CostDetails {
  /**
   * How many of the written tokens were written for another life than the ordinary one, by its name at the provider
   * (`1h`, `12h`). Unit: tokens. @defaultValue none
   */
  readonly cacheWrites?: Readonly<Record<string, number>>;
}

/** What a call cost at these prices. Unit: USD. */
export function costOf(usage: Usage, prices: TokenPrices, { cacheWrites = {} }: CostDetails = {}): number {
  const rates = ratesFor(usage, prices);
  let ordinaryWrites = usage.cacheWriteTokens;
  let writes = 0;
  for (const [ttl, tokens] of Object.entries(cacheWrites)) {
    const rate = rates.cacheWriteByTtl?.[ttl];
    if (rate === undefined) continue;
    const counted = Math.min(tokens, ordinaryWrites);
    ordinaryWrites -= counted;
    writes += counted * rate;
  }
  const perMillion =
    usage.uncachedInputTokens * rates.input +
    usage.cacheReadTokens * rates.cacheRead +
    ordinaryWrites * rates.cacheWrite +
    writes +
    usage.outputTokens * rates.output;
  return perMillion / 1_000_000;
}

function ratesFor(usage: Usage, { tiers = [], ...base }: TokenPrices): TokenRates {
  const prompt = usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  let rates: TokenRates = base;
  let bound = -1;
  for (const tier of tiers) {
    if (prompt > tier.abovePromptTokens && tier.abovePromptTokens > bound) {
      rates = tier;
      bound = tier.abovePromptTokens;
    }
  }
  return rates;
}
