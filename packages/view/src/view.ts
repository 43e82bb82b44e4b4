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
   * The event with which the replacement took effect: thinking made before it and standing after the replaced event no
   * longer verifies. @defaultValue the end of the log: all thinking after the replaced event is stale
   */
  readonly effectiveFrom?: EventId | undefined;
}

/** Something in the log that the fold could not do, and passed over. */
export interface ViewNote {
  readonly eventId: EventId;
  readonly note: string;
}

/** Options of {@link View.fromEvents} and {@link ViewProjection}. */
export interface ViewOptions {
  /** What the model that reads the view checks of thinking; decides the cut points. @defaultValue 'prefix-bound' */
  readonly thinking?: ThinkingMode | undefined;
  /** Size of one stored event. Unit: tokens. @defaultValue {@link estimateTokens} */
  readonly estimateTokens?: EstimateTokens | undefined;
  /** What belongs together besides calls and their results: the view is not cut inside the runs that they name. @defaultValue none */
  readonly properties?: readonly ViewProperty[] | undefined;
}

/**
 * What the model reads of a log: an immutable value. `events` is the stored list, the fold's whole result; what of it cannot
 * be sent stays in it and is named in `leftOut`. Offsets, cut points and forgotten ids all mean the stored list.
 */
export interface View {
  readonly events: EventSequence<LLMConvertibleEvent>;
  /** A condensation was asked for after the last condensation. */
  readonly unhandledCondensationRequest: boolean;
  /** The condensations in force, in order. */
  readonly condensations: readonly Condensation[];
  /** What is stored but not sent, with the reason. */
  readonly leftOut: ReadonlyMap<EventId, string>;
  /** What no model sees and a policy may read: directives, usage, attempts, condensations. */
  readonly internalEvents: EventSequence<Event>;
  /** What in the log could not be done and was passed over: unknown ids, repeated event ids, open batches. */
  readonly notes: EventSequence<ViewNote>;
  /** The indices of the stored list at which it may be cut. Total: there for every log. */
  readonly cutPoints: CutPoints;
  /** Any event of the log as it was logged, forgotten and redacted ones too. */
  original(id: EventId): Event | undefined;
  /**
   * The model response to which an action or an agent's message belongs, named by the id of the event with which the response
   * begins; forgotten events have one too. Undefined for what no model made. Group by this and not by `llmResponseId`, which
   * servers repeat.
   */
  responseOf(id: EventId): EventId | undefined;
  /** Where an event stands in the stored list; undefined where it does not. */
  indexOf(id: EventId): number | undefined;
  /** Estimated size of the stored events from one index to another. Unit: tokens. @defaultValue all of them */
  tokens(from?: number, to?: number): number;
  /** Estimated size of any event, by the estimate with which this view counts. Unit: tokens. */
  tokensOf(event: LLMConvertibleEvent): number;
  /** A view in which copies stand in the place of some events. Ids that are not in the view change nothing. */
  replace(changes: ReadonlyMap<EventId, Replacement>): View;
  /** A view without some events, for condensers that filter on every step. Ids that are not in the view change nothing. */
  without(ids: ReadonlySet<EventId>): View;
  /**
   * What is sent, in the order in which it is sent, as data: `toMessages` renders it, and so can anybody, into messages of any type.
   * Computed once for a view, at the cost of what is new, of the batch that is still open, and of what is left out.
   */
  sent(): SentOrder;
  /** The messages that a provider accepts. */
  toMessages(options?: RenderOptions): readonly Message[];
}

/** Makes views of logs. */
export const View = {
  /**
   * Folds a log into its view. Total: any sequence of events has one. For a log that grows, keep a {@link ViewProjection}.
   */
  fromEvents(events: Iterable<Event>, options?: ViewOptions): View {
    const projection = new ViewProjection(options);
    for (const event of events) projection.append(event);
    return projection.view;
  },
};
