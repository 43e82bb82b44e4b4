import type { CacheMarking } from '../cache-marking.js';
import type { CacheUse } from './prompt-cache.js';

/** One request, as the cache sees it. */
export interface BreakpointLookup {
  readonly model: string;
  /** `prompt_cache_key`: requests with other keys land elsewhere. */
  readonly key: string;
  /** All that the model reads, in its order: tools, then instructions and messages. */
  readonly rendered: string;
  /** Where a breakpoint can stand, and whether one does: ends of parts, first to last. Unit: characters. */
  readonly ends: readonly { readonly at: number; readonly isMarked: boolean }[];
  /** The provider chooses no breakpoint of its own. */
  readonly isExplicitOnly: boolean;
  /** How long what is written lives, counted from its last use. Unit: milliseconds. */
  readonly lifeMs: number;
}

/** The cache of the models that know breakpoints. */
export interface BreakpointCache {
  use(lookup: BreakpointLookup): CacheUse;
}

interface Entry {
  /** Unit: characters. */
  readonly length: number;
  readonly isImplicit: boolean;
  expiresAt: number;
  lifeMs: number;
}

const charactersPerToken = 4;
const minimumTokens = 1024;
/** How many of the latest breakpoints are matched. */
const matched = 80;
/** How many are written with one request. */
const writable = 4;

/**
 * The prompt cache of GPT-5.6 and later: it knows prefixes that end at a breakpoint, to the character, none below 1,024 tokens.
 * A request writes its latest explicit breakpoints, three beside the one that the provider chooses, or four where it chooses
 * none; it reads the longest prefix that was written at one of its own explicit breakpoints, or as the provider's choice in one
 * of the latest requests, however far back. A use renews the life.
 *
 * Assumed: the provider chooses the end of the request.
 *
 * @see provider-rules B.8
 */
export function breakpointCache(now: () => Date, marking: CacheMarking = 'as-sent'): BreakpointCache {
  const shelves = new Map<string, Map<string, Entry>>();
  const isEverywhere = marking === 'everywhere';
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

      const found = [...own, ...chosen.map(({ length }) => length)].reduce<Entry | undefined>((best, length) => {
        const entry = live.get(keys.get(length) ?? '');
        return entry !== undefined && entry.length > (best?.length ?? 0) ? entry : best;
      }, undefined);
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
      // What the provider chooses is the whole request.
      const lengths = writes.map(({ length, isImplicit }) => (isImplicit ? rendered.length : length));
      const writtenTokens = Math.max(0, tokensIn(Math.max(0, ...lengths)) - cachedTokens);
      return { inputTokens, cachedTokens, writtenTokens };
    },
  };
}

/** The lists that end what is read are closed behind what comes next. */
function endBeforeClosing(rendered: string): number {
  return rendered.replace(/\]{1,2}$/, '').length;
}

/** A key for each prefix that ends at one of the lengths: two hashes, in one pass over the text. */
function prefixKeys(text: string, lengths: readonly number[]): ReadonlyMap<number, string> {
  const keys = new Map<number, string>();
  let [one, other, at] = [0x811c9dc5, 0x9e3779b9, 0];
  for (const length of [...new Set(lengths)].sort((a, b) => a - b)) {
    if (length > text.length) break;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 0x01000193);
      other = Math.imul(other + code, 0x85ebca6b) ^ (other >>> 13);
    }
    keys.set(length, `${length} ${one} ${other}`);
  }
  return keys;
}

function tokensIn(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}
