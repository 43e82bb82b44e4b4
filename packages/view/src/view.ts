import type { Condensation, Event, EventId, LLMConvertibleEvent, Message } from '@palimpsest/events';
import type { CutPoints } from './cut-points.js';
import type { EventSequence } from './event-sequence.js';
import type { RenderOptions, ThinkingMode } from './render-options.js';
import type { SentOrder } from './sent-order.js';
import type { EstimateTokens } from './token-estimate.js';
import { ViewProjection } from './view-projection.js';
import type { ViewProperty } from './view-property.js';

/** One replacement in {@link View.replace}. */
export interface Replacement {
  /** The copy that takes the event's place. It keeps the event's id, type and call. */
  readonly event: LLMConvertibleEvent;
  /**
   * The event with which the replacement took effect. Thinking made before that event and placed after the replaced event no
   * longer verifies. @defaultValue the end of the log: all thinking after the replaced event is stale
   */
  readonly effectiveFrom?: EventId | undefined;
}

/** A part of the log that the fold could not apply and skipped. */
export interface ViewNote {
  readonly eventId: EventId;
  readonly note: string;
}

/** Options of {@link View.fromEvents} and {@link ViewProjection}. */
export interface ViewOptions {
  /** The thinking mode of the model that reads the view. It decides the cut points. @defaultValue 'prefix-bound' */
  readonly thinking?: ThinkingMode | undefined;
  /** Size of one stored event. Unit: tokens. @defaultValue {@link estimateTokens} */
  readonly estimateTokens?: EstimateTokens | undefined;
  /**
   * Properties that name runs of events which belong together, besides calls and their results. The view is not cut inside a
   * run. @defaultValue none
   */
  readonly properties?: readonly ViewProperty[] | undefined;
}

/**
 * The part of a log that the model reads, as an immutable value. `events` is the stored list, the complete result of the fold.
 * Events that cannot be sent stay in the list and are named in `leftOut`. Offsets, cut points and forgotten ids refer to the
 * stored list.
 */
export interface View {
  readonly events: EventSequence<LLMConvertibleEvent>;
  /** True if there is a condensation request after the last condensation. */
  readonly unhandledCondensationRequest: boolean;
  /** The condensations in force, in order. */
  readonly condensations: readonly Condensation[];
  /** The stored events that are not sent, with the reason. */
  readonly leftOut: ReadonlyMap<EventId, string>;
  /** The events that no model reads but a policy may read: directives, usage, attempts, condensations. */
  readonly internalEvents: EventSequence<Event>;
  /** The parts of the log that the fold skipped: unknown ids, repeated event ids, open batches. */
  readonly notes: EventSequence<ViewNote>;
  /** The indices at which the stored list may be cut. Defined for every log. */
  readonly cutPoints: CutPoints;
  /** Any event of the log as logged, also if it is forgotten or redacted. */
  original(id: EventId): Event | undefined;
  /**
   * The model response of an action or an agent's message: the id of the first event of the response. Also defined for
   * forgotten events; undefined for events that no model made. Group by this and not by `llmResponseId`, which servers repeat.
   */
  responseOf(id: EventId): EventId | undefined;
  /** The position of an event in the log, counted from 0; undefined for a summary and for an event that is not in the log. */
  positionOf(id: EventId): number | undefined;
  /** The index of an event in the stored list; undefined if the list does not contain it. */
  indexOf(id: EventId): number | undefined;
  /** Estimated size of the stored events from one index to another. Unit: tokens. @defaultValue all of them */
  tokens(from?: number, to?: number): number;
  /** Estimated size of any event, by this view's estimate. Unit: tokens. */
  tokensOf(event: LLMConvertibleEvent): number;
  /** A view in which copies replace some events. Ids that are not in the view are ignored. */
  replace(changes: ReadonlyMap<EventId, Replacement>): View;
  /** A view without some events, for condensers that filter on every step. Ids that are not in the view are ignored. */
  without(ids: ReadonlySet<EventId>): View;
  /**
   * The sent items in sending order, as data. `toMessages` renders them; your own code can render them into messages of any
   * type. Computed once for a view, at a cost linear in the new events and the open batch.
   */
  sent(): SentOrder;
  /**
   * The messages that a provider accepts, in a new array. The messages are frozen and shared: for the events of one log, with
   * the same options as in the last call, what has not changed is the same object, so it can be the key of a cache. The cost is
   * linear in the new events, the open batch and the last run of adjacent user messages, plus one array of references. A view
   * made by `replace` costs the replaced events and the events from the first one on that was not replaced in the last such
   * view. An edit, other options and a view made by `without` cost the whole list.
   *
   * Memory: about 200 bytes a message besides the events, given up with the projection and its views.
   */
  toMessages(options?: RenderOptions): readonly Message[];
}

/** Makes views of logs. */
export const View = {
  /** Folds a log into its view. Every sequence of events has a view. For a log that grows, keep a {@link ViewProjection}. */
  fromEvents(events: Iterable<Event>, options?: ViewOptions): View {
    const projection = new ViewProjection(options);
    for (const event of events) projection.append(event);
    return projection.view;
  },
};
