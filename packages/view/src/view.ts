import type {
  ActionEvent,
  Condensation,
  Event,
  EventId,
  LLMConvertibleEvent,
  Message,
  SystemPromptEvent,
  ToolResultEvent,
} from '@palimpsest/events';
import type { CutPoints } from './fold/cut-points.js';
import type { ViewProperty } from './fold/runs.js';
import type { SentItem } from './fold/send-order.js';
import type { EstimateTokens } from './render/token-estimate.js';

/**
 * The rule for sending the model's thinking back.
 *
 * - `prefix-bound`: blocks are bound to everything before them. Stale blocks (made before an edit took effect and placed after
 *   it) are left out, and a tool loop may be cut.
 * - `latest-turn`: the provider checks the latest turn only; all blocks are kept, and a tool loop is never cut.
 * - `none`: no thinking is sent.
 *
 * The adapter's model data says which mode a model needs.
 */
export type ThinkingMode = 'prefix-bound' | 'latest-turn' | 'none';

/** Options of rendering a view as messages. */
export interface RenderOptions {
  /** @defaultValue the view's own mode, which is `prefix-bound` by default */
  readonly thinking?: ThinkingMode | undefined;
  /**
   * A label for the last line of a tool result. It may depend on the event alone and is called once for each event, so give the
   * same function in every call: another function renders every message again. Use it for a whole conversation or not at all.
   * @defaultValue no labels
   */
  readonly labelObservation?: ((event: ToolResultEvent) => string | undefined) | undefined;
}

/** The events of a view that are sent, in sending order, and those that are not sent. See {@link View.sent}. */
export interface SentOrder {
  /** The system prompt in force. It is sent first. */
  readonly system: SystemPromptEvent | undefined;
  /** The items sent after the system prompt. Each view makes its own: use their events as keys of a cache. */
  readonly items: readonly SentItem[];
  /** The stored events that are not sent, with the reason. */
  readonly leftOut: ReadonlyMap<EventId, string>;
  /** The thinking mode of the model that reads the view. */
  readonly thinking: ThinkingMode;
  /** True for an event whose signed thinking no longer verifies, because something before it was edited after it was made. */
  isThinkingStale(id: EventId): boolean;
}

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
  readonly events: readonly LLMConvertibleEvent[];
  /** True if there is a condensation request after the last condensation. */
  readonly unhandledCondensationRequest: boolean;
  /** The condensations in force, in order. */
  readonly condensations: readonly Condensation[];
  /** The stored events that are not sent, with the reason. */
  readonly leftOut: ReadonlyMap<EventId, string>;
  /** The events that no model reads but a policy may read: directives, usage, attempts, condensations. */
  readonly internalEvents: readonly Event[];
  /** The parts of the log that the fold skipped: unknown ids, repeated event ids, open batches. */
  readonly notes: readonly ViewNote[];
  /** The indices at which the stored list may be cut. Defined for every log. */
  readonly cutPoints: CutPoints;
  /** Any event of the log as logged, also if it is forgotten or redacted. */
  original(id: EventId): Event | undefined;
  /**
   * The model response of an action or an agent's message: the id of the first event of the response. Also defined for
   * forgotten events; undefined for events that no model made. Group by this and not by `llmResponseId`, which servers repeat.
   */
  responseOf(id: EventId): EventId | undefined;
  /**
   * The call that an event makes or answers, as logged. Also defined for forgotten events; undefined for a result without a call.
   * Servers repeat the ids of calls, so match calls and results by this and not by `toolCallId`.
   */
  callOf(id: EventId): ActionEvent | undefined;
  /** The newest result of the call that an event makes or answers, as logged. Also defined for forgotten events. */
  resultOf(id: EventId): ToolResultEvent | undefined;
  /** The position of an event in the log, counted from 0. Undefined for a summary and for an event that is not in the log. */
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
   * type. Computed once for a view, at a cost linear in the view.
   */
  sent(): SentOrder;
  /**
   * The messages that a provider accepts, in a new array. The messages are frozen and shared: for the events of one log, with
   * the same options as in the last call, what has not changed is the same object, so it can be the key of a cache. The cost is
   * one array of references, and the rendering of what no earlier call has rendered.
   *
   * Memory: about 200 bytes a message besides the events, given up with the projection and its views.
   */
  toMessages(options?: RenderOptions): readonly Message[];
}
