import type { Usage } from '@palimpsest/events';
import type { ModelFacts } from './models/model-facts.js';
import { totalInputTokens } from './usage.js';

/** A request that was answered. */
export interface AnsweredRequest {
  readonly model: string;
  readonly usage: Usage;
  /** When the answer came. Unit: milliseconds since 1970. */
  readonly at: number;
}

/** Two requests of a conversation, one after the other. */
export interface RequestPair {
  readonly previous: AnsweredRequest;
  readonly answered: AnsweredRequest;
  /**
   * How much of the previous request this one begins with, as the provider counts. Unit: tokens. @defaultValue all of it: the
   * conversation has only grown
   */
  readonly keptTokens?: number;
  /** Of the model. @defaultValue nothing: a cache of unknown life, and a minimum of 1,024 tokens */
  readonly facts?: Pick<ModelFacts, 'cacheLifeMs' | 'cacheMinimumTokens'> | undefined;
}

/**
 * Why a prompt cache probably read less than expected. `not-reported`: the provider reports neither reads nor writes, or has no cache.
 * `expired`: the cache was dropped, and the last request is minutes old. `below-minimum`: the prefix is small, and its model may
 * not cache so little. `prefix-changed`: the provider has found another prompt than the one that was sent before.
 */
export type CacheDriftReason = 'not-reported' | 'expired' | 'below-minimum' | 'prefix-changed';

/** A request of which the prompt cache read less than expected. Unit: tokens. */
export interface CacheDrift {
  readonly expectedReadTokens: number;
  readonly reportedReadTokens: number;
  readonly reason: CacheDriftReason;
}

/** Less is rounding, or what a provider adds to a prompt. */
const leastTokens = 1_024;
const leastShare = 0.1;
/** What most vendors ask for at least. Unit: tokens. */
const usualMinimum = 1_024;
/** The largest minimum that a vendor states. Unit: tokens. */
const largestMinimum = 4_096;
/** Caches whose life is not promised mostly live so long. Unit: milliseconds. */
const usualLifeMs = 4 * 60_000;

/**
 * What the prompt cache should read of a request: what it begins with of the previous one. 0 for another model, behind the life of
 * the cache, and below the smallest prefix that is cached. Unit: tokens.
 */
export function expectedCacheRead({ previous, answered, keptTokens, facts = {} }: RequestPair): number {
  const { cacheLifeMs = Infinity, cacheMinimumTokens = usualMinimum } = facts;
  if (previous.model !== answered.model || answered.at - previous.at > cacheLifeMs) return 0;
  const before = totalInputTokens(previous.usage);
  const kept = Math.min(keptTokens ?? before, before, totalInputTokens(answered.usage));
  return kept < cacheMinimumTokens ? 0 : Math.floor(kept);
}

/**
 * The drift of an answered request: the cache read less than {@link expectedCacheRead}, by more than 1,024 tokens and a tenth of
 * it. Undefined without drift. More than expected is no drift: it costs nothing.
 */
export function cacheDriftOf(pair: RequestPair): CacheDrift | undefined {
  const expectedReadTokens = expectedCacheRead(pair);
  const { cacheReadTokens: reportedReadTokens } = pair.answered.usage;
  if (expectedReadTokens - reportedReadTokens <= Math.max(leastTokens, leastShare * expectedReadTokens))
    return undefined;
  return { expectedReadTokens, reportedReadTokens, reason: reasonOf(pair, expectedReadTokens) };
}

function reasonOf({ previous, answered, facts = {} }: RequestPair, expected: number): CacheDriftReason {
  const { cacheReadTokens, cacheWriteTokens } = answered.usage;
  if (cacheReadTokens > 0) return 'prefix-changed';
  if (answered.at - previous.at > usualLifeMs) return 'expired';
  if (facts.cacheMinimumTokens === undefined && expected < largestMinimum) return 'below-minimum';
  return cacheWriteTokens > 0 || previous.usage.cacheReadTokens > 0 ? 'prefix-changed' : 'not-reported';
}
