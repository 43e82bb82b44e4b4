import type { Message } from '@palimpsest/events';
import type { CacheHints, CachePlace } from '../llm.js';
import { modelName } from '../models/model-facts.js';
import { distinctPlaces, endOfAnswered, stablePlaces } from '../wire/cache-place.js';
import type { PartPlace } from '../wire/cache-place.js';
import { shortHash } from '../wire/call-ids.js';
import type { ServerProfile } from './server-profile.js';

/**
 * The lifetime of a prefix in OpenAI's cache. Models before GPT-5.6 accept no lifetime: for them, `12h` asks for the
 * retention of 24 hours, and `30m` sends nothing.
 */
export type CacheTtl = '30m' | '12h';

/** @see provider-rules B11 */
const maxKeyLength = 64;

/** The prompt cache's fields of a request body. They are the same in both of OpenAI's APIs. */
interface CacheFields {
  readonly prompt_cache_key?: string;
  /** The installed SDK's types may know fewer lifetimes than the provider. */
  readonly prompt_cache_options?: { readonly ttl?: '30m' };
  readonly prompt_cache_retention?: '24h';
}

/**
 * Returns the cache fields of a request, as far as the server accepts them. A key of more than 64 characters is
 * replaced by its hash.
 *
 * @see provider-rules B.8
 */
export function cacheFields(
  cache: CacheHints | undefined,
  options: { readonly model: string; readonly profile: ServerProfile; readonly cacheTtl?: CacheTtl | undefined },
): CacheFields {
  const { model, profile, cacheTtl } = options;
  if (profile.cacheHints === 'none') return {};
  const key = cache?.key;
  const ofKey = key === undefined ? {} : { prompt_cache_key: key.length <= maxKeyLength ? key : shortHash(key) };
  if (cacheTtl === undefined || profile.cacheHints === 'key') return ofKey;
  if (takesBreakpoints(model, profile)) return { ...ofKey, prompt_cache_options: { ttl: cacheTtl as '30m' } };
  return { ...ofKey, ...(cacheTtl === '12h' ? { prompt_cache_retention: '24h' } : {}) };
}

/** The field that marks a content part: the prompt is cached up to the end of this part. */
export const cacheBreakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } } as const;

/**
 * Returns true if the model accepts breakpoints: OpenAI's models from GPT-5.6 on, and models whose names contain no
 * version.
 */
export function takesBreakpoints(model: string, profile: ServerProfile): boolean {
  if (profile.cacheHints !== 'all') return false;
  const name = modelName(model);
  if (/^(?:o\d|chatgpt|codex|ft:)/.test(name)) return false;
  const [, major, minor] = /^gpt-(\d+)(?:\.(\d+))?/.exec(name) ?? [];
  if (major === undefined) return true;
  return Number(major) > 5 || (Number(major) === 5 && Number(minor ?? 0) >= 6);
}

/** @see provider-rules B11 */
const maxBreakpoints = 4;

/**
 * Returns true if the hints name a place. Without one, a request has no breakpoints, and the provider chooses one
 * itself.
 */
export function namesPlaces({ cachedMessages, stableMessages }: CacheHints): boolean {
  return cachedMessages !== undefined || stableMessages !== undefined;
}

/** The parts of a request that can carry breakpoints. A part is named by its message or item and its place there. */
interface Carriers {
  readonly first: PartPlace | undefined;
  readonly newest: PartPlace | undefined;
  /** Returns the last carrier before a place. */
  endOf(place: CachePlace): PartPlace | undefined;
}

/**
 * Returns the carriers that get explicit breakpoints, at most four. The provider looks for a cached prefix at each
 * breakpoint of the request, whatever its distance from the end. It writes the prefix up to the latest breakpoint, and
 * up to a place of its own choice. Breakpoints are placed in this order, until there are four:
 *
 * 1. The newest message.
 * 2. The end of the cached prefix; without a hint, the end of the last answered request.
 * 3. The first carrier, which no condensation changes.
 * 4. The places that the caller calls stable.
 *
 * @see provider-rules B.8
 */
export function breakpointsAt(
  messages: readonly Message[],
  hints: CacheHints,
  { first, newest, endOf }: Carriers,
): readonly PartPlace[] {
  if (!namesPlaces(hints)) return [];
  const cached = endOf(hints.cachedMessages ?? endOfAnswered(messages));
  const wanted = [newest, cached, first, ...stablePlaces(hints).map(endOf)].filter((carrier) => carrier !== undefined);
  return distinctPlaces(wanted).slice(0, maxBreakpoints);
}
