import type { CacheMarking } from '../cached-prompt.js';

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

interface StoredRequest {
  rendered: string;
  expiresAt: number;
  lifeMs: number;
}

const charactersPerToken = 4;
const minimumTokens = 1024;
const entriesKept = 32;

/**
 * Returns the automatic prompt cache of the models before gpt-5.6. It reads the longest common prefix of rendered characters
 * with a stored request, in tokens of four characters, rounded down, with a minimum of 1,024 tokens. A use renews the lifetime.
 *
 * Simplified: the cache stores every request completely, and the last 32 requests per model and key.
 *
 * @see provider-rules B.8
 */
export function promptCache(now: () => Date): PromptCache {
  const shelves = new Map<string, StoredRequest[]>();
  return {
    use: ({ model, key, rendered, roundedTo, lifeMs }) => {
      const time = now().getTime();
      const shelf = JSON.stringify([model, key]);
      const live = (shelves.get(shelf) ?? []).filter(({ expiresAt }) => expiresAt > time);
      let found: StoredRequest | undefined;
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

/** Returns the length of the common prefix of two texts. Uses bisection, so that native code compares texts of a megabyte. */
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

/** The cache lookup of one request. */
export interface BreakpointLookup {
  readonly model: string;
  /** `prompt_cache_key`. Requests with different keys do not share prefixes. */
  readonly key: string;
  /** The whole input of the model, in its order: tools, then instructions and messages. */
  readonly rendered: string;
  /** The possible breakpoints (ends of parts) in order, and whether each one is set. Unit: characters. */
  readonly ends: readonly { readonly at: number; readonly isMarked: boolean }[];
  /** True if the provider chooses no breakpoint itself. */
  readonly isExplicitOnly: boolean;
  /** The lifetime of a written prefix after its last use. Unit: milliseconds. */
  readonly lifeMs: number;
}

/** The cache of the models with breakpoints. */
export interface BreakpointCache {
  use(lookup: BreakpointLookup): CacheUse;
}

interface WrittenPrefix {
  /** Unit: characters. */
  readonly length: number;
  readonly isImplicit: boolean;
  expiresAt: number;
  lifeMs: number;
}

/** The number of latest breakpoints that are matched. */
const matched = 80;
/** The number of breakpoints that one request writes. */
const writable = 4;

/**
 * Returns the prompt cache of GPT-5.6 and later. It stores prefixes that end exactly at a breakpoint and have at least 1,024
 * tokens. A request writes its latest explicit breakpoints: three plus the provider's choice, or four if the provider chooses
 * none. It reads the longest prefix that was written at one of its own explicit breakpoints, or as the provider's choice in one
 * of the latest requests, at any distance. A use renews the lifetime.
 *
 * Assumed: the provider chooses the end of the request.
 *
 * @see provider-rules B.8
 */
export function breakpointCache(now: () => Date, marking: CacheMarking = 'as-sent'): BreakpointCache {
  const shelves = new Map<string, Map<string, WrittenPrefix>>();
  const isEverywhere = marking === 'everywhere';
  const prefixKeys = prefixHasher();
  return {
    use: ({ model, key, rendered, ends, isExplicitOnly, lifeMs }) => {
      const time = now().getTime();
      const shelf = JSON.stringify([model, key]);
      const live = new Map([...(shelves.get(shelf) ?? [])].filter(([, { expiresAt }]) => expiresAt > time));
      const marks = ends.filter(({ isMarked }) => isMarked || isEverywhere).map(({ at }) => at);
      const own = isEverywhere ? marks : marks.slice(-matched);
      const chosen = [...live.values()].filter(({ isImplicit }) => isImplicit).slice(-matched);
      const end = endBeforeClosing(rendered);
      const keys = prefixKeys(rendered, [...marks, ...chosen.map(({ length }) => length), end]);

      const found = [...own, ...chosen.map(({ length }) => length)].reduce<WrittenPrefix | undefined>(
        (best, length) => {
          const entry = live.get(keys.get(length) ?? '');
          return entry !== undefined && entry.length > (best?.length ?? 0) ? entry : best;
        },
        undefined,
      );
      if (found !== undefined) found.expiresAt = time + found.lifeMs;

      const choosesNone = isExplicitOnly && !isEverywhere;
      const explicit = isEverywhere ? marks : marks.slice(choosesNone ? -writable : 1 - writable);
      const writes = [
        ...explicit.map((length) => ({ length, isImplicit: false })),
        ...(choosesNone ? [] : [{ length: end, isImplicit: true }]),
      ].filter(({ length }) => tokensIn(length) >= minimumTokens);
      for (const { length, isImplicit } of writes) {
        const prefix = keys.get(length) ?? '';
        const known = live.get(prefix);
        live.delete(prefix);
        const life = Math.max(lifeMs, known?.lifeMs ?? 0);
        live.set(prefix, {
          length,
          isImplicit: isImplicit || known?.isImplicit === true,
          lifeMs: life,
          expiresAt: time + life,
        });
      }
      shelves.set(shelf, live);

      const inputTokens = tokensIn(rendered.length);
      const cachedTokens = found === undefined ? 0 : Math.floor(found.length / charactersPerToken);
      // The provider's choice is the whole request.
      const lengths = writes.map(({ length, isImplicit }) => (isImplicit ? rendered.length : length));
      const writtenTokens = Math.max(0, tokensIn(Math.max(0, ...lengths)) - cachedTokens);
      return { inputTokens, cachedTokens, writtenTokens };
    },
  };
}

/** Excludes the closing brackets of the last lists: in a longer request, further entries precede the brackets. */
function endBeforeClosing(rendered: string): number {
  return rendered.replace(/\]{1,2}$/, '').length;
}

/** The hashes of the prefix that ends at a length. */
interface Hashed {
  /** Unit: characters. */
  readonly length: number;
  readonly one: number;
  readonly other: number;
}

/**
 * Makes a key for each prefix that ends at one of the lengths: two hashes, in one pass over the text. It goes on where the text
 * before ends to be the same, because most of a request was sent in the one before.
 */
function prefixHasher(): (text: string, lengths: readonly number[]) => ReadonlyMap<number, string> {
  let before: { readonly text: string; readonly hashed: readonly Hashed[] } = { text: '', hashed: [] };
  return (text, lengths) => {
    const common = commonPrefix(before.text, text);
    const known = before.hashed.filter(({ length }) => length <= common);
    const hashed: Hashed[] = [];
    let [last, next]: [Hashed, number] = [{ length: 0, one: 0x811c9dc5, other: 0x9e3779b9 }, 0];
    for (const length of [...new Set(lengths)].sort((a, b) => a - b)) {
      if (length > text.length) break;
      for (let same = known[next]; same !== undefined && same.length <= length; same = known[++next]) {
        if (same.length > last.length) last = same;
      }
      let { length: at, one, other } = last;
      for (; at < length; at++) {
        const code = text.charCodeAt(at);
        one = Math.imul(one ^ code, 0x01000193);
        other = Math.imul(other + code, 0x85ebca6b) ^ (other >>> 13);
      }
      last = { length, one, other };
      hashed.push(last);
    }
    before = { text, hashed };
    return new Map(hashed.map(({ length, one, other }) => [length, `${length} ${one} ${other}`]));
  };
}

function tokensIn(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}
