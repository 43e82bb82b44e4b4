import type { Message, Usage } from '@palimpsest/events';
import type { CacheHints, CachePlace } from './llm.js';
import type { ModelFacts } from './models/model-facts.js';
import { totalInputTokens } from './usage.js';
import { stablePlaces } from './wire/cache-place.js';
import type { Place } from './wire/cache-place.js';

/**
 * The prompt that a conversation sent last: enough to tell the prompt cache of its next request what has changed since.
 */
export interface SentPrompt {
  readonly messages: readonly Message[];
  /** The hints that {@link promptToSend} gave for them. @defaultValue nothing: the messages are known and no more */
  readonly cache?: PromptHints;
  /**
   * The number of messages in the newest request that changed earlier messages. Where later requests ended, they were
   * cached. Where earlier ones ended, something else was. Unit: messages. @defaultValue 0: none was
   */
  readonly rewrittenMessages?: number;
}

/** The part of {@link CacheHints} that follows from what was sent before. */
export type PromptHints = Pick<CacheHints, 'cachedMessages' | 'stableMessages'>;

/**
 * Returns the messages of a conversation's next request, with the hints that its prompt cache needs: compares them with
 * what was sent last, from the front to the first difference.
 *
 * - `cachedMessages`: the last place at which an earlier request ended or was marked, and before which nothing has changed.
 * - `stableMessages`: where later rewrites probably begin. What was masked stays masked, so that is where the newest rewrite in
 *   place ended. What stands before a summary stays there, so that is where the newest rewrite began that took messages away.
 *
 * Pass what it returns as `previous` of the next request, once a request was answered. A `previous` that was not sent costs
 * money at most: marks never change what the model reads.
 */
export function promptToSend(messages: readonly Message[], previous?: SentPrompt): Required<SentPrompt> {
  if (previous === undefined) return { messages, cache: { cachedMessages: 0 }, rewrittenMessages: 0 };
  const { messages: earlier, cache = {}, rewrittenMessages = 0 } = previous;
  const unchanged = commonStart(earlier, messages);
  const isRewritten = unchanged.messages < earlier.length;
  const [masks, head] = stablePlaces(cache);
  const stays = (place: Place | undefined): place is Place => place !== undefined && !isBehind(place, unchanged);
  const ended = endOfRequest(earlier, unchanged.messages, rewrittenMessages);
  const cached = [masks, head, ended]
    .filter(stays)
    .reduce<Place | undefined>(
      (last, place) => (last === undefined || isBehind(place, last) ? place : last),
      undefined,
    );
  const stable = isRewritten ? afterRewrite(earlier, messages, { unchanged, masks, head }) : [masks, head];
  return {
    messages,
    cache: {
      cachedMessages: written(cached ?? unchanged),
      stableMessages: stable.filter((place) => place !== undefined).map(written),
    },
    rewrittenMessages: isRewritten ? messages.length : rewrittenMessages,
  };
}

function written(place: Place): CachePlace {
  return place.parts === 0 ? place.messages : place;
}

function isBehind(one: Place, other: Place): boolean {
  return one.messages > other.messages || (one.messages === other.messages && one.parts > other.parts);
}

/**
 * Returns all that is the same from the start: messages, and of the first that differs what it has in common, if it is
 * the user's.
 */
function commonStart(earlier: readonly Message[], later: readonly Message[]): Place {
  const messages = countSame(earlier, later);
  const [one, other] = [earlier[messages], later[messages]];
  return {
    messages,
    parts: one?.role === 'user' && other?.role === 'user' ? countSame(one.content, other.content) : 0,
  };
}

function countSame(some: readonly unknown[], others: readonly unknown[]): number {
  const length = Math.min(some.length, others.length);
  let count = 0;
  while (count < length && isSame(some[count], others[count])) count += 1;
  return count;
}

/**
 * Returns the end of the last request within the unchanged messages, with at least `from` of them: an answer follows,
 * or nothing yet.
 */
function endOfRequest(earlier: readonly Message[], unchanged: number, from: number): Place | undefined {
  for (let end = unchanged; end >= Math.max(from, 1); end -= 1) {
    if (end === earlier.length || earlier[end]?.role === 'assistant') return { messages: end, parts: 0 };
  }
  return undefined;
}

/** Returns the places where masks go on and where summaries begin. */
function afterRewrite(
  earlier: readonly Message[],
  later: readonly Message[],
  before: { readonly unchanged: Place; readonly masks: Place | undefined; readonly head: Place | undefined },
): readonly (Place | undefined)[] {
  const { unchanged, masks, head } = before;
  const start = unchanged.messages;
  const { end, tail } = endOfRewrite(earlier, later, start);
  if (end === start) return [unchanged];
  const moved = end + tail - earlier.length;
  if (moved === 0) {
    const place = { messages: startOfMasks(earlier, later, start, end), parts: 0 };
    return [place, head === undefined || isBehind(head, unchanged) ? undefined : head];
  }
  const isMoved = masks !== undefined && masks.messages > earlier.length - tail;
  return [{ messages: isMoved ? masks.messages + moved : end, parts: 0 }, unchanged];
}

/** Up to where messages are new, and how many of the earlier ones they go on with behind that. No further than the start if none. */
function endOfRewrite(earlier: readonly Message[], later: readonly Message[], start: number) {
  let end = later.length;
  while (end > start && !saysTheSame(earlier.at(-1), later[end - 1])) end -= 1;
  let tail = 0;
  while (
    end > start &&
    tail < earlier.length - start &&
    saysTheSame(earlier[earlier.length - 1 - tail], later[end - 1])
  ) {
    end -= 1;
    tail += 1;
  }
  return { end, tail };
}

/** Masks that left calls alone go on at the next result: what stands before it will stay. */
function startOfMasks(earlier: readonly Message[], later: readonly Message[], start: number, end: number): number {
  for (let index = start; index < end; index += 1) {
    if (later[index]?.role !== 'tool' && !saysTheSame(earlier[index], later[index])) return end;
  }
  const next = later.findIndex(({ role }, index) => index >= end && role === 'tool');
  return next === -1 ? end : next;
}

/**
 * Returns true where words, calls and results are the same. Thinking is not looked at: a rewrite takes it away far
 * behind itself.
 */
function saysTheSame(one: Message | undefined, other: Message | undefined): boolean {
  if (one?.role !== 'assistant' || other?.role !== 'assistant') return isSame(one, other);
  return isSame(one.content, other.content) && isSame(one.toolCalls, other.toolCalls);
}

/** Equal as JSON, whatever the order of keys. Parts of unchanged events are the same objects, so this rarely reads text. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) && Array.isArray(other) && one.length === other.length && countSame(one, other) === one.length
    );
  }
  const [fields, others] = [definedFields(one), definedFields(other)];
  return fields.length === others.length && fields.every(([key, value]) => isSame(value, Reflect.get(other, key)));
}

function definedFields(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}

/** A request that was answered. */
export interface AnsweredRequest {
  readonly model: string;
  readonly usage: Usage;
  /** The time of the answer. Unit: milliseconds since 1970. */
  readonly at: number;
}

/** Two requests of a conversation, one after the other. */
export interface RequestPair {
  readonly previous: AnsweredRequest;
  readonly answered: AnsweredRequest;
  /**
   * The size of the beginning that this request shares with the previous one, as the provider counts. Unit: tokens.
   * @defaultValue all of it: the conversation has only grown
   */
  readonly keptTokens?: number;
  /** Of the model. @defaultValue nothing: a cache of unknown life, and a minimum of 1,024 tokens */
  readonly facts?: Pick<ModelFacts, 'cacheLifeMs' | 'cacheMinimumTokens'> | undefined;
}

/**
 * The probable reason why a prompt cache read less than expected. `not-reported`: the provider reports neither reads
 * nor writes, or has no cache. `expired`: the cache was dropped, and the last request is minutes old. `below-minimum`:
 * the prefix is small, and its model may not cache so little. `prefix-changed`: the provider has found another prompt
 * than the one that was sent before.
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
/** The least that most vendors ask for. Unit: tokens. */
const usualMinimum = 1_024;
/** The largest minimum that a vendor states. Unit: tokens. */
const largestMinimum = 4_096;
/** Caches whose life is not promised mostly live so long. Unit: milliseconds. */
const usualLifeMs = 4 * 60_000;

/**
 * Returns the tokens that the prompt cache should read of a request: the beginning that it shares with the previous
 * one. 0 for another model, after the life of the cache, and below the smallest prefix that is cached. Unit: tokens.
 */
export function expectedCacheRead({ previous, answered, keptTokens, facts = {} }: RequestPair): number {
  const { cacheLifeMs = Infinity, cacheMinimumTokens = usualMinimum } = facts;
  if (previous.model !== answered.model || answered.at - previous.at > cacheLifeMs) return 0;
  const before = totalInputTokens(previous.usage);
  const kept = Math.min(keptTokens ?? before, before, totalInputTokens(answered.usage));
  return kept < cacheMinimumTokens ? 0 : Math.floor(kept);
}

/**
 * Returns the drift of an answered request: the cache read less than {@link expectedCacheRead}, by more than 1,024
 * tokens and a tenth of it. Undefined without drift. More than expected is no drift: it costs nothing.
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
