import type { Usage } from '@palimpsest/events';

/** The prices of a model's tokens. Unit: USD per million tokens. */
export interface TokenRates {
  /** Input tokens that are neither read from nor written to the prompt cache. */
  readonly input: number;
  readonly cacheRead: number;
  /** Tokens written to the cache with the default lifetime. */
  readonly cacheWrite: number;
  /**
   * Tokens written to the cache with another lifetime, by the provider's name for it: `1h`, `12h`. @defaultValue
   * `cacheWrite`
   */
  readonly cacheWriteByTtl?: Readonly<Record<string, number>>;
  /** Output tokens: answer and thinking. */
  readonly output: number;
}

/** {@link TokenRates}, and the rates for long prompts if the provider has them. */
export interface TokenPrices extends TokenRates {
  /** Rates that apply to the whole call if its prompt exceeds a bound. The highest bound that it exceeds counts. */
  readonly tiers?: readonly PriceTier[];
}

/** The rates of a call with a long prompt. */
export interface PriceTier extends TokenRates {
  /** Unit: tokens of input, cached or not. */
  readonly abovePromptTokens: number;
}

/** The facts of a call that its price depends on and that {@link Usage} does not hold. */
export interface CostDetails {
  /**
   * The number of cache-write tokens with a lifetime other than the default, by the provider's name for it (`1h`, `12h`).
   * Unit: tokens. @defaultValue none
   */
  readonly cacheWrites?: Readonly<Record<string, number>>;
}

/** Returns the cost of a call at these prices. Unit: USD. */
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
