import type { CreateEvent, Event, EventId } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import type { Condenser, PendingCondensation, RenderOptions } from '@palimpsest/view';
import type { AgentParts } from './agent-options.js';
import type { SecretMask } from './secrets/mask.js';
import type { ConversationState, MessagesInForce } from './state.js';

/** The host's functions that take the events that are emitted: one by one, or in batches. */
export type EventSink =
  | {
      /**
       * Called with each event, in the order of the log. The next one follows when it resolves. A host that keeps logs on disk
       * uses `onEvents`: events that it stores one by one can be cut off in the middle of an answer.
       */
      readonly onEvent: (event: Event) => void | Promise<void>;
      readonly onEvents?: OnEvents;
    }
  | {
      readonly onEvent?: (event: Event) => void | Promise<void>;
      /**
       * Called in place of `onEvent` with the events that belong together, in the order of the log: all events of one answer of
       * the model, or a tool's result with the whole of its output. Append them all or none.
       */
      readonly onEvents: OnEvents;
    };

type OnEvents = (batch: readonly Event[]) => void | Promise<void>;

/** A function that emits events that belong together. It resolves when the host has taken all of them. */
export type Emit = (...batch: readonly Event[]) => Promise<void>;

/** Options of a step. */
export type StepOptions = EventSink & {
  /**
   * Aborts the model call and the running tool. Calls that have not begun are answered as interrupted. What `onDelta` was handed
   * of an answer is emitted as a message with `cutOff`.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each piece of the model's answer as it arrives, but not with the answers to condensers. After a `restart`, the
   * pieces since the last complete answer are void: the model is asked again, or the step fails.
   */
  readonly onDelta?: ((delta: Delta) => void) | undefined;
  /** Hides values in the descriptions of tools and in their output. The host masks events itself. @defaultValue nothing is hidden */
  readonly secrets?: SecretMask | undefined;
  /** The condenser that answers an open condensation request in the place of the agent's. @defaultValue the agent's condenser */
  readonly requestedCondenser?: (() => Condenser | undefined) | undefined;
  /**
   * Told of a condensation that the condenser goes on with in the background. The next step takes it; a host that takes no further
   * step calls `Agent.condense` when it is ready. @defaultValue one that no later step takes is lost
   */
  readonly onPending?: ((pending: PendingCondensation) => void) | undefined;
};

/** All that one step needs. It is made once, and passed on as it is. */
export interface Step {
  readonly agent: AgentParts;
  readonly state: ConversationState;
  readonly options: StepOptions;
  /** The messages in force when the step began: as old as the view that its condenser gets. */
  readonly messagesInForce: MessagesInForce;
  /** The rendering of the requests of this step. */
  readonly render: RenderOptions;
  /** The log, with what this step has emitted. */
  readonly events: StepEvents;
  /** Appends events in one batch, all or none. */
  readonly emit: Emit;
}

/**
 * The log as a step sees it: the events of the state, then those that the step has emitted and the host has not appended to the
 * state. A step therefore gives the same result whether its host appends an event at once or after the step.
 */
export interface StepEvents extends Iterable<Event> {
  /** Returns the event with this id, as the host has logged it. */
  get(id: EventId): Event | undefined;
}

/**
 * Makes the context of one step.
 *
 * @throws TypeError when the options have neither `onEvent` nor `onEvents`.
 */
export function beginStep(agent: AgentParts, state: ConversationState, options: StepOptions): Step {
  const { messagesInForce } = state;
  const emitToHost = emitTo(options);
  const emitted = new Map<EventId, Event>();
  return {
    agent,
    state,
    options,
    messagesInForce,
    render: renderOptions(agent, state),
    events: stepEvents(state, emitted),
    emit: async (...batch) => {
      await emitToHost(...batch);
      for (const event of batch) emitted.set(event.id, event);
    },
  };
}

/** Returns the options with which a request is rendered: without thinking once a provider has refused it. */
export function renderOptions(
  { render, llm }: Pick<AgentParts, 'render' | 'llm'>,
  state: ConversationState,
): RenderOptions {
  return { ...render, thinking: state.isThinkingOff ? 'none' : (render?.thinking ?? llm.facts?.thinking) };
}

/** Read-only, because tools are given it. */
function stepEvents(state: ConversationState, emitted: ReadonlyMap<EventId, Event>): StepEvents {
  return Object.freeze({
    get: (id: EventId) => state.view.original(id) ?? emitted.get(id),
    *[Symbol.iterator]() {
      const missing = new Map(emitted);
      for (const event of state.log) {
        missing.delete(event.id);
        yield event;
      }
      yield* missing.values();
    },
  });
}

/** Returns a function that hands events to a sink, and an empty batch to nobody. */
function emitTo({ onEvent, onEvents }: EventSink): Emit {
  if (onEvents === undefined && onEvent === undefined) throw new TypeError('onEvent or onEvents must be given.');
  return async (...batch) => {
    if (batch.length === 0) return;
    if (onEvents !== undefined) return onEvents(batch);
    for (const event of batch) await onEvent?.(event);
  };
}

/**
 * Makes an id with the host's event factory, so that a host that sets the factory sets all ids and can repeat a run. The
 * factory makes ids only for events, so an event is created and dropped.
 */
export function newIdFrom(createEvent: CreateEvent): string {
  return createEvent('pause', {}).id;
}
