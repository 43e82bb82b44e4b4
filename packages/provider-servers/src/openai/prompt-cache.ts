/** The effect of the cache on one request. Unit of all fields: tokens. */
export interface CacheUse {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly writtenTokens: number;
}

/** The cache lookup of one request. */
export interface CacheLookup {
  readonly model: string;
  /** `prompt_cache_key`. Requests with different keys do not share prefixes. */
  readonly key: string;
  /** The whole input of the model, in its order: tools, then instructions and messages. */
  readonly rendered: string;
  /** Cached tokens are rounded down to a multiple of it. Unit: tokens. */
  readonly roundedTo: number;
  /** The lifetime of a written prefix after its last use. Unit: milliseconds. */
  readonly lifeMs: number;
}

/** The cache of one server. */
export interface PromptCache {
  use(lookup: CacheLookup): CacheUse;
}

interface Entry {
  rendered: string;
  expiresAt: number;
  lifeMs: number;
}

const charactersPerToken = 4;
const minimumTokens = 1024;
const entriesKept = 32;

/**
 * The automatic prompt cache of the models before gpt-5.6. It reads the longest common prefix of rendered characters with a
 * stored request, in tokens of four characters, rounded down, with a minimum of 1,024 tokens. A use renews the lifetime.
 *
 * Simplified: the cache stores every request completely, and the last 32 requests per model and key.
 *
 * @see provider-rules B.8
 */
export function promptCache(now: () => Date): PromptCache {
  const shelves = new Map<string, Entry[]>();
  return {
    use: ({ model, key, rendered, roundedTo, lifeMs }) => {
      const time = now().getTime();
      const shelf = JSON.stringify([model, key]);
      const live = (shelves.get(shelf) ?? []).filter(({ expiresAt }) => expiresAt > time);
      let found: Entry | undefined;
      let common = 0;
      for (const entry of live) {
        const length = commonPrefix(entry.rendered, rendered);
        if (length > common) {
          found = entry;
          common = length;
        }
      }
      const inputTokens = Math.ceil(rendered.length / charactersPerToken);
      const prefix = Math.floor(common / charactersPerToken);
      const cachedTokens = prefix < minimumTokens ? 0 : prefix - (prefix % roundedTo);
      if (found !== undefined && cachedTokens > 0) found.expiresAt = time + found.lifeMs;
      if (inputTokens >= minimumTokens) {
        const kept = live.filter((entry) => !rendered.startsWith(entry.rendered)).slice(1 - entriesKept);
        shelves.set(shelf, [...kept, { rendered, lifeMs, expiresAt: time + lifeMs }]);
      }
      const writtenTokens = inputTokens < minimumTokens ? 0 : inputTokens - cachedTokens;
      return { inputTokens, cachedTokens, writtenTokens };
    },
  };
}

/** The length of the common prefix of two texts. Uses bisection, so that native code compares texts of a megabyte. */
export function commonPrefix(one: string, other: string): number {
  let low = 0;
  let high = Math.min(one.length, other.length);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (one.slice(low, middle) === other.slice(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
