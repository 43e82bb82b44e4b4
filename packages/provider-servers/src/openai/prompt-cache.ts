/** What a request found in the cache and left there. Unit of all: tokens. */
export interface CacheUse {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly writtenTokens: number;
}

/** One request, as the cache sees it. */
export interface CacheLookup {
  readonly model: string;
  /** `prompt_cache_key`: requests with other keys land elsewhere. */
  readonly key: string;
  /** All that the model reads, in its order: tools, then instructions and messages. */
  readonly rendered: string;
  /** Down to a multiple of it. Unit: tokens. */
  readonly roundedTo: number;
  /** How long what is written lives, counted from its last use. Unit: milliseconds. */
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
 * The automatic prompt cache of the models before gpt-5.6: the longest common prefix, by rendered characters, with a request that is still remembered,
 * in tokens of four characters, rounded down; nothing below 1,024 tokens. A use renews the life.
 *
 * Simplified: every request is remembered to its last character; the last 32 of a model and key.
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

/** Length of what two texts have in common at their start, by halves: texts of a megabyte are compared in native steps. */
function commonPrefix(one: string, other: string): number {
  let low = 0;
  let high = Math.min(one.length, other.length);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (one.slice(low, middle) === other.slice(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
