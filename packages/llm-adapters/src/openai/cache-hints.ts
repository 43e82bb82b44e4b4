import type { Message } from '@palimpsest/events';
import type { CacheHints, CachePlace } from '../llm.js';
import { modelName } from '../models/model-name.js';
import { endOfAnswered, stablePlaces } from '../wire/cache-place.js';
import { shortHash } from '../wire/short-hash.js';
import type { ServerProfile } from './server-profile.js';

/**
 * How long OpenAI keeps a cached prefix. Models before GPT-5.6 have no lifetimes; for them `12h` requests the longer retention.
 */
export type CacheTtl = '30m' | '12h';

/** @see provider-rules B11 */
const maxKeyLength = 64;

/** The fields of a request body that tell the prompt cache what to do, the same in both of OpenAI's APIs. */
export interface CacheFields {
  readonly prompt_cache_key?: string;
  /** The installed SDK's types may know fewer lifetimes than the provider. */
  readonly prompt_cache_options?: { readonly ttl?: '30m' };
  readonly prompt_cache_retention?: '24h';
}

/**
 * A key of more than 64 characters becomes a hash of it.
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

/** The mark on a content part up to which the prompt is cached. */
export const cacheBreakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } } as const;

/** True for OpenAI's models from GPT-5.6 on, and for those whose names say no version. */
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

/** The places of a request that can carry breakpoints. */
export interface Carriers<Carrier> {
  readonly first: Carrier | undefined;
  readonly newest: Carrier | undefined;
  /** The last one before a place. */
  endOf(place: CachePlace): Carrier | undefined;
}

/**
 * Where explicit breakpoints go, at most four: the provider reads at breakpoints of the request, however far back, and writes
 * the latest of them beside one that it chooses itself. The newest message; the end of what can be cached; the first thing that
 * can carry one, which outlives every condensation; what the caller calls stable. Without a place in the hints there are none.
 *
 * @see provider-rules B.8
 */
export function breakpointsAt<Carrier>(
  messages: readonly Message[],
  hints: CacheHints,
  { first, newest, endOf }: Carriers<Carrier>,
): ReadonlySet<Carrier> {
  const { cachedMessages, stableMessages } = hints;
  if (cachedMessages === undefined && stableMessages === undefined) return new Set();
  const cached = endOf(cachedMessages ?? endOfAnswered(messages));
  const wanted = [newest, cached, first, ...stablePlaces(hints).map(endOf)];
  return new Set([...new Set(wanted.filter((carrier) => carrier !== undefined))].slice(0, maxBreakpoints));
}
