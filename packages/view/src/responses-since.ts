import type { EventId } from '@palimpsest/events';
import type { View } from './view.js';

/** The key under which a view counts the responses of its log. The same in every copy of the package. */
export const responsesSinceKey: unique symbol = Symbol.for('@palimpsest/view/responses-since');

/** A view that knows its log. */
export interface CountsResponses {
  /** @param most - where counting ends */
  [responsesSinceKey](id: EventId, most: number): number;
}

/**
 * The number of model responses in the log after an event, forgotten ones too, up to `most`. A view that does not know its log
 * has `most`. Unit: model responses.
 */
export function responsesSince(view: View, id: EventId, most: number): number {
  return (view as Partial<CountsResponses>)[responsesSinceKey]?.(id, most) ?? most;
}
