import type { Event, EventId } from '@palimpsest/events';
import type { ConversationState } from '../conversation-state.js';

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
