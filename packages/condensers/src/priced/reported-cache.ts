import type { Event, LLMUsageEvent } from '@palimpsest/events';
import { expectedCacheRead } from '@palimpsest/llm-adapters';
import type { CondenseContext, View } from '@palimpsest/view';

/** Fewer misses may be chance. Unit: answers. */
const missesToBelieve = 3;
/** The number of newest answers that are looked at. */
const searched = 32;
/** For caches whose life nobody states. Unit: milliseconds. */
const usualLifeMs = 4 * 60_000;
/** The largest least prefix that a vendor caches. Unit: tokens. */
const cacheMinimumTokens = 4_096;

/**
 * Whether the provider's cache does not work: the newest three answers that should have read from it report that nothing was read.
 * False as soon as one reads again, and where the log has no reported usage.
 */
export function isCacheUnread({ internalEvents }: View, { cacheLifeMs = usualLifeMs }: CondenseContext): boolean {
  const facts = { cacheLifeMs, cacheMinimumTokens };
  let answered: LLMUsageEvent | undefined;
  let [misses, looked] = [0, 0];
  let isRewritten = false;
  for (let index = internalEvents.length - 1; index >= 0 && looked <= searched; index--) {
    const event = internalEvents[index] as Event;
    if (event.type === 'condensation' || event.type === 'condensation-revert') isRewritten = true;
    if (!isAnswer(event)) continue;
    looked++;
    if (answered !== undefined) {
      if (answered.usage.cacheReadTokens > 0) return false;
      const pair = { previous: requestOf(event), answered: requestOf(answered), facts };
      const isComparable = answered.usageIsEstimated !== true && !isRewritten;
      if (isComparable && expectedCacheRead(pair) > 0 && ++misses === missesToBelieve) return true;
    }
    answered = event;
    isRewritten = false;
  }
  return false;
}

function isAnswer(event: Event): event is LLMUsageEvent {
  return event.type === 'llm-usage' && (event.purpose ?? 'agent') === 'agent';
}

function requestOf({ model, usage, timestamp }: LLMUsageEvent) {
  return { model, usage, at: Date.parse(timestamp) };
}
