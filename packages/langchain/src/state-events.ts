import { ReducedValue, StateSchema } from '@langchain/langgraph';
import type { CondensedHistoryOptions } from '@palimpsest/messages';
import { field, listOf, textOf } from '@palimpsest/messages';
import { z } from 'zod';

type EventStore = NonNullable<CondensedHistoryOptions<unknown>['store']>;

/** An event of ours, as plain JSON. */
export type StateEvent = Parameters<EventStore['append']>[1][number];

/** The key of our own events in the graph's state. A name with `_` is no input and no output of an agent. */
export const stateKey = '_palimpsest';

/**
 * Our own events in the state. A reducer and no plain value, because one step can write twice: when a middleware calls the model
 * again.
 */
export const stateSchema = new StateSchema({
  [stateKey]: new ReducedValue(
    z.array(z.any()).default(() => []),
    {
      reducer: (current: StateEvent[], added: StateEvent[]) => {
        const known = new Set(current.map(({ id }) => id));
        return [...current, ...added.filter(({ id }) => !known.has(id))];
      },
    },
  ),
});

/** Returns the events in a state. What is no event was not written by us. */
export function eventsIn(state: unknown): readonly StateEvent[] {
  const held = field(state, stateKey);
  const isEvent = (event: unknown): event is StateEvent =>
    textOf(field(event, 'id')) !== undefined && textOf(field(event, 'type')) !== undefined;
  return listOf(held).filter(isEvent);
}

/** The events of one state as a store, which a history reads and to which it adds. */
export class StateEvents implements EventStore {
  readonly events: StateEvent[];

  constructor(events: readonly StateEvent[]) {
    this.events = [...events];
  }

  async append(_conversationId: string, events: readonly StateEvent[]): Promise<{ readonly version: number }> {
    this.events.push(...events);
    return { version: this.events.length };
  }

  async *read(_conversationId: string, { from = 0 }: { readonly from?: number } = {}): AsyncGenerator<StateEvent> {
    yield* this.events.slice(from);
  }

  async *list(): AsyncGenerator<{ readonly conversationId: string; readonly version: number }> {
    yield { conversationId: '', version: this.events.length };
  }

  /** Returns true if these events begin with those of a state. */
  beginsWith(events: readonly StateEvent[]): boolean {
    return events.length <= this.events.length && events.every(({ id }, index) => this.events[index]?.id === id);
  }
}
