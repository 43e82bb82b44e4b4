import type { PalimpsestError } from '../errors.js';
import type { Event } from '../event.js';
import type { EventStore } from '../event-store.js';
import { logBuilder } from './log-builder.js';

/** A store to test, empty. */
export interface StoreUnderTest {
  readonly store: EventStore;
  /** Another store object on the same data, as another process would open it. */
  readonly reopen?: () => EventStore | Promise<EventStore>;
  /** Called when the test is over. */
  readonly dispose?: () => void | Promise<void>;
}

/** One promise of a store. */
export interface StoreRule {
  readonly name: string;
  /** Rejects if the store breaks the promise. */
  check(underTest: StoreUnderTest): Promise<void>;
}

/** Returns some user messages. Two calls with different prefixes share no id. */
export function messages(count: number, idPrefix = 'event-'): readonly Event[] {
  const log = logBuilder({ idPrefix });
  for (let number = 1; number <= count; number++) log.user(`message ${number}`);
  return log.events;
}

/** Returns all that a store holds of a conversation. */
export async function readAll(
  store: EventStore,
  conversationId: string,
  options?: Parameters<EventStore['read']>[1],
): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of store.read(conversationId, options)) events.push(event);
  return events;
}

/** Returns all that a store holds of a conversation, in batches. */
export async function readBatches(
  store: EventStore,
  conversationId: string,
  options?: Parameters<EventStore['read']>[1],
): Promise<(readonly Event[])[]> {
  const batches: (readonly Event[])[] = [];
  for await (const batch of store.read(conversationId, options).batches?.() ?? []) batches.push(batch);
  return batches;
}

/** Returns the ids of what a store holds. */
export async function readIds(store: EventStore, conversationId: string): Promise<string[]> {
  return (await readAll(store, conversationId)).map((event) => event.id);
}

/** Returns the list of a store, sorted. */
export async function listAll(store: EventStore): Promise<[string, number][]> {
  const listed: [string, number][] = [];
  for await (const { conversationId, version } of store.list()) listed.push([conversationId, version]);
  return listed.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Checks that something fails with one of our errors, and hands the error out. */
export async function failsWith<Failure extends PalimpsestError>(
  errorClass: new (...parameters: never[]) => Failure,
  run: () => Promise<unknown>,
): Promise<Failure> {
  // Not `instanceof`: the store may have another copy of this package.
  const { isInstance, typeName } = errorClass as unknown as typeof PalimpsestError;
  const failure = await run().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (failure === undefined) throw new Error(`it did not fail with ${typeName}`);
  if (isInstance.call(errorClass, failure.error)) return failure.error as Failure;
  throw new Error(`it failed with another error than ${typeName}: ${String(failure.error)}`, { cause: failure.error });
}
