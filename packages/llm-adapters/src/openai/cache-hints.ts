import type { CacheHints } from '../llm.js';
import { modelName } from '../models/model-name.js';
import { shortHash } from '../wire/short-hash.js';
import type { ServerProfile } from './server-profile.js';

/** How long OpenAI keeps a cached prefix. Models before GPT-5.6 know no lifetimes; `12h` asks them for the longer retention. */
export type CacheTtl = '30m' | '12h';

/** @see provider-protocol rule B11 */
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
 * @see provider-protocol B.8
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

/** The mark behind a content part up to which the prompt is to be cached. */
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

/**
 * How many of the first messages a breakpoint may follow: a boundary inside a batch of results moves before the batch, where
 * the wire's messages are the same for every longer history.
 */
export function stableCount(
  messages: readonly { readonly role: string }[],
  stableMessages: number | undefined,
): number | undefined {
  if (stableMessages === undefined || stableMessages < 1) return undefined;
  let count = Math.min(Math.floor(stableMessages), messages.length);
  if (messages[count]?.role === 'tool') {
    while (count > 0 && messages[count - 1]?.role === 'tool') count -= 1;
    count -= 1;
  }
  return count < 1 ? undefined : count;
}
