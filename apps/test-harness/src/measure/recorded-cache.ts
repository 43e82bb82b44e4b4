import type { Event, LLMUsageEvent } from '@palimpsest/events';
import { cacheDriftOf, expectedCacheRead, modelFacts } from '@palimpsest/llm-adapters';
import type { CacheDriftReason, RequestPair } from '@palimpsest/llm-adapters';

/** The tokens that a provider reported to have read from its prompt cache, beside those that it should have read. */
export interface RecordedCache {
  /** The answers that should have read something. */
  readonly answers: number;
  /** Of these answers. Unit: tokens, as the provider counts. */
  readonly expectedReadTokens: number;
  /** Of these answers, at most what was expected of each. Unit: tokens, as the provider counts. */
  readonly reportedReadTokens: number;
  /** The answers that read too little: by more than 1,024 tokens and a tenth. By likely reason. */
  readonly drifts: Readonly<Partial<Record<CacheDriftReason, number>>>;
}

/**
 * Compares the recorded usage of each answer with the one before it. Undefined without such usage. Answers behind a recorded condensation
 * are left out, because the log does not say what they shared with the request before.
 */
export function recordedCache(logged: readonly Event[]): RecordedCache | undefined {
  let [answers, expectedReadTokens, reportedReadTokens] = [0, 0, 0];
  const drifts: Partial<Record<CacheDriftReason, number>> = {};
  for (const pair of pairsOf(logged)) {
    const expected = expectedCacheRead(pair);
    if (expected === 0) continue;
    answers++;
    expectedReadTokens += expected;
    reportedReadTokens += Math.min(expected, pair.answered.usage.cacheReadTokens);
    const { reason } = cacheDriftOf(pair) ?? {};
    if (reason !== undefined) drifts[reason] = (drifts[reason] ?? 0) + 1;
  }
  return answers === 0 ? undefined : { answers, expectedReadTokens, reportedReadTokens, drifts };
}

/**
 * Returns the tokens that the cache should have read for each answer, by the id of its response. Answers of which
 * nothing is known are left out. Unit: tokens.
 */
export function expectedReads(logged: readonly Event[]): ReadonlyMap<string, number> {
  return new Map(pairsOf(logged).map(({ responseId, ...pair }) => [responseId, expectedCacheRead(pair)]));
}

/** Adds up several sessions. Undefined if none has recorded usage. */
export function pooledCache(sessions: readonly (RecordedCache | undefined)[]): RecordedCache | undefined {
  const known = sessions.filter((session) => session !== undefined);
  if (known.length === 0) return undefined;
  const drifts: Partial<Record<CacheDriftReason, number>> = {};
  for (const [reason, count] of known.flatMap((session) => Object.entries(session.drifts))) {
    drifts[reason as CacheDriftReason] = (drifts[reason as CacheDriftReason] ?? 0) + count;
  }
  const sum = (of: (session: RecordedCache) => number): number =>
    known.reduce((total, session) => total + of(session), 0);
  return {
    answers: sum((session) => session.answers),
    expectedReadTokens: sum((session) => session.expectedReadTokens),
    reportedReadTokens: sum((session) => session.reportedReadTokens),
    drifts,
  };
}

function pairsOf(logged: readonly Event[]): readonly (RequestPair & { readonly responseId: string })[] {
  const pairs: (RequestPair & { readonly responseId: string })[] = [];
  let previous: LLMUsageEvent | undefined;
  for (const event of logged) {
    if (event.type === 'condensation' || event.type === 'condensation-revert') previous = undefined;
    if (event.type !== 'llm-usage' || (event.purpose ?? 'agent') !== 'agent') continue;
    if (event.usageIsEstimated === true) {
      // The provider reported nothing.
      previous = undefined;
      continue;
    }
    if (previous !== undefined && previous.responseId !== event.responseId) {
      const facts = modelFacts(event.model, event.model.startsWith('claude') ? 'anthropic' : 'compatible');
      const { responseId } = event;
      pairs.push({ responseId, previous: requestOf(previous), answered: requestOf(event), facts });
    }
    previous = event;
  }
  return pairs;
}

function requestOf({ model, usage, timestamp }: LLMUsageEvent): RequestPair['answered'] {
  return { model, usage, at: Date.parse(timestamp) };
}
