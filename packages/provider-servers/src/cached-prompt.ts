/** What a simulated cache does for one prompt. The three together are the prompt. Unit: tokens. */
export interface CachedPrompt {
  readonly read: number;
  readonly written: number;
  /** Neither read nor written. */
  readonly uncached: number;
}

/** A provider's prompt cache without the provider. It keeps what its requests wrote, as long as the provider does. */
export interface SimulatedPromptCache {
  /** What a request's body reads and writes. The answer to it has begun when the next body comes. */
  use(body: unknown): CachedPrompt;
}
