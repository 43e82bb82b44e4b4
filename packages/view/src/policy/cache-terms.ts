import type { LLMConvertibleEvent } from '@palimpsest/events';
import { defaultPrices } from '../condenser.js';
import type { CachePrices, CondenseContext } from '../condenser.js';
import type { View } from '../view.js';

/** Returns the prices of a context. A price that is not stated, or is no amount, is that of {@link defaultPrices}. */
export function cachePricesOf({ prices }: Pick<CondenseContext, 'prices'>): Required<CachePrices> {
  const stated = Object.entries(prices ?? {}).filter(([, price]) => Number.isFinite(price) && price >= 0);
  return { ...defaultPrices, ...(Object.fromEntries(stated) as Partial<CachePrices>) };
}

/**
 * Returns the cost of a change of the history at the next call: the tokens that the prompt cache could have served are
 * written again. A change pays when reading what it removes has cost as much since it could have been made.
 *
 * @see decision 53
 */
export function costOfRewriting(tokens: number, { read, write }: CachePrices): number {
  return Math.max(0, write - read) * tokens;
}

/**
 * Returns true if the provider has dropped the prompt prefix of the last model call: the model has answered longer ago
 * than the cache lives. The time is `context.now`, or that of the newest event, so the same log gives the same answer.
 * False where the life of the cache is not known, or nobody has answered yet.
 */
export function isCacheCold(view: View, { cacheLifeMs, now }: Pick<CondenseContext, 'cacheLifeMs' | 'now'>): boolean {
  if (cacheLifeMs === undefined) return false;
  const answeredAt = lastAnswerAt(view);
  const calledAt = now === undefined ? newestTime(view) : Date.parse(now);
  return answeredAt !== undefined && calledAt - answeredAt > cacheLifeMs;
}

/** The time of the newest event. Internal events count: a conversation that is taken up again begins with one. */
function newestTime(view: View): number {
  const times = [view.events.at(-1), view.internalEvents.at(-1)].map((event) => Date.parse(event?.timestamp ?? ''));
  return Math.max(...times.filter((time) => !Number.isNaN(time)));
}

/** Returns when the model last answered. Undefined if it never did, or its events have no valid time. */
function lastAnswerAt(view: View): number | undefined {
  for (let index = view.events.length - 1; index >= 0; index--) {
    const event = view.events.at(index) as LLMConvertibleEvent;
    if (view.responseOf(event.id) === undefined) continue;
    const at = Date.parse(event.timestamp);
    return Number.isNaN(at) ? undefined : at;
  }
  return undefined;
}
