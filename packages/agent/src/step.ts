import type { CreateEvent, Event, EventId, ToolDefinition } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import type { Condenser, PendingCondensation, RenderOptions } from '@palimpsest/view';
import type { AgentOptions } from './agent-options.js';
import type { Hooks } from './hooks.js';
import type { CacheWatch } from './model/cache-watch.js';
import type { SentPrompts } from './model/sent-prompts.js';
import type { SecretMask } from './secrets/mask.js';
import type { ConversationState } from './state.js';
import type { Toolset } from './tool-calls/call.js';
import type { AskingTools } from './tool-calls/requested-fields.js';

/** Where a host takes the events that are emitted: one by one, or in batches. */
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

/** Hands on events that belong together. Resolves when the host has taken all of them. */
export type Emit = (...batch: readonly Event[]) => Promise<void>;

/**
 * The way into a sink. An empty batch is handed to nobody.
 *
 * @throws TypeError when the sink has neither `onEvent` nor `onEvents`.
 */
export function emitTo({ onEvent, onEvents }: EventSink): Emit {
  if (onEvents === undefined && onEvent === undefined) throw new TypeError('onEvent or onEvents must be given.');
  return async (...batch) => {
    if (batch.length === 0) return;
    if (onEvents !== undefined) return onEvents(batch);
    for (const event of batch) await onEvent?.(event);
  };
}

/** What a step is given besides the state. */
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

/**
 * The log as a step sees it: the events of the state, then those that the step has emitted and the host has not appended to the
 * state. A step therefore gives the same result whether its host appends an event at once or after the step.
 */
export class StepLog {
  readonly #state: Pick<ConversationState, 'log' | 'view'>;
  readonly #emitted = new Map<EventId, Event>();

  constructor(state: Pick<ConversationState, 'log' | 'view'>) {
    this.#state = state;
  }

  /** Read-only, because tools are given it. */
  readonly events: Iterable<Event> = Object.freeze({ [Symbol.iterator]: () => this.#all() });

  /** The event with this id, as the host has logged it. */
  get(id: EventId): Event | undefined {
    return this.#state.view.original(id) ?? this.#emitted.get(id);
  }

  /** Adds events that the host has taken. */
  add(events: readonly Event[]): void {
    for (const event of events) this.#emitted.set(event.id, event);
  }

  *#all(): Generator<Event, void, undefined> {
    const missing = new Map(this.#emitted);
    for (const event of this.#state.log) {
      missing.delete(event.id);
      yield event;
    }
    yield* missing.values();
  }
}

/** What the parts of one step share. */
export interface StepContext extends Pick<
  StepOptions,
  'signal' | 'onDelta' | 'secrets' | 'requestedCondenser' | 'onPending'
> {
  /** As the agent was given them. */
  readonly options: AgentOptions;
  readonly tools: Toolset;
  readonly takeFields: AskingTools['take'];
  readonly toolDefinitions: readonly ToolDefinition[];
  readonly hooks: Hooks;
  readonly createEvent: CreateEvent;
  readonly sentPrompts: SentPrompts;
  readonly cacheWatch: CacheWatch;
  readonly render: RenderOptions;
  readonly state: ConversationState;
  readonly log: StepLog;
  readonly emit: Emit;
}

/**
 * Makes an id with the host's event factory, so that a host that sets the factory sets all ids and can repeat a run. The
 * factory makes ids only for events, so an event is created and dropped.
 */
export function newIdFrom(createEvent: CreateEvent): string {
  return createEvent('pause', {}).id;
}
