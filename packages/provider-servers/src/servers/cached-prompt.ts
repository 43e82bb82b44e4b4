/** The effect of a simulated cache on one prompt. The three fields add up to the prompt. Unit: tokens. */
export interface CachedPrompt {
  readonly read: number;
  readonly written: number;
  /** Tokens that are neither read nor written. */
  readonly uncached: number;
}

/** A simulated prompt cache. It keeps written prefixes as long as the provider does. */
export interface SimulatedPromptCache {
  /** Computes what the body of a request reads and writes. Assumes that its answer begins before the next body arrives. */
  use(body: unknown): CachedPrompt;
}

/**
 * The cache marks that a simulated cache assumes. `as-sent`: the marks of the request. `everywhere`: a mark at every possible
 * place, without limits on the number of marks or on lookback. This gives the lowest possible cost of the same requests.
 */
export type CacheMarking = 'as-sent' | 'everywhere';
