import type { Event, LLMUsageEvent } from '@palimpsest/events';
import { expectedCacheRead } from '@palimpsest/llm-adapters';
import { matchingEvents } from '@palimpsest/view';
import type { CondenseContext, View } from '@palimpsest/view';

/** Fewer misses may be chance. Unit: answers. */
const missesToBelieve = 3;
/** The number of newest answers that are looked at. */
const searched = 32;
/** For caches whose life nobody states. Unit: milliseconds. */
const usualLifeMs = 4 * 60_000;
/** The largest least prefix that a vendor caches. Unit: tokens. */
const cacheMinimumTokens = 4_096;

const answersIn = /* @__PURE__ */ matchingEvents<Event>(
  (event) => event.type === 'llm-usage' && (event.purpose ?? 'agent') === 'agent',
);

/**
 * Whether the provider's cache does not work: the newest three answers that should have read from it report that nothing was read.
 * False as soon as one reads again, and where the log has no reported usage. Costs O(new events).
 */
export function isCacheUnread({ internalEvents }: View, { cacheLifeMs = usualLifeMs }: CondenseContext): boolean {
  const answers = answersIn(internalEvents);
  const facts = { cacheLifeMs, cacheMinimumTokens };
  let misses = 0;
  for (let place = -1; place >= -searched; place--) {
    const [index, before] = [answers.at(place), answers.at(place - 1)];
    if (index === undefined || before === undefined) return false;
    const [answered, previous] = [internalEvents.at(index), internalEvents.at(before)] as readonly LLMUsageEvent[];
    if (answered === undefined || previous === undefined) return false;
    if (answered.usage.cacheReadTokens > 0) return false;
    if (answered.usageIsEstimated === true || isRewrittenBetween(internalEvents, before, index)) continue;
    const pair = { previous: requestOf(previous), answered: requestOf(answered), facts };
    if (expectedCacheRead(pair) > 0 && ++misses === missesToBelieve) return true;
  }
  return false;
}

function requestOf({ model, usage, timestamp }: LLMUsageEvent) {
  return { model, usage, at: Date.parse(timestamp) };
}

function isRewrittenBetween(events: View['internalEvents'], start: number, end: number): boolean {
  for (let index = start + 1; index < end; index++) {
    const type = events.at(index)?.type;
    if (type === 'condensation' || type === 'condensation-revert') return true;
  }
  return false;
}
