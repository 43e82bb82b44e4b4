import { appendRules, manyEventsRule } from './append-rules.js';
import { conversationRules } from './conversation-rules.js';
import { readRules } from './read-rules.js';
import { reopenRules } from './reopen-rules.js';
import type { StoreRule, StoreUnderTest } from './store-rule.js';
import { reopenedWriterRules, writerRules } from './writer-rules.js';

/** Options of {@link eventStoreContract}. */
export interface EventStoreContractOptions {
  /** The runner's function that registers one test: of vitest, jest or `node:test`. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Makes an empty store for one test. */
  readonly create: () => StoreUnderTest | Promise<StoreUnderTest>;
  /**
   * True if `create` gives a `reopen`: a store that outlives its object has to be tested with a second one.
   * @defaultValue false
   */
  readonly reopens?: boolean;
}

/**
 * Registers one test for each promise of the {@link EventStore} port. A store that passes can stand behind an `EventLog`. A
 * store without `openForWriting` passes the tests of that method, which then ask nothing of it.
 *
 * @example
 * ```ts
 * eventStoreContract({ test, create: () => ({ store: memoryEventStore() }) });
 * ```
 */
export function eventStoreContract(options: EventStoreContractOptions): void {
  const rules: readonly StoreRule[] = [
    ...appendRules,
    ...readRules,
    ...conversationRules,
    ...writerRules,
    ...(options.reopens === true ? [...reopenRules, ...reopenedWriterRules] : []),
    manyEventsRule,
  ];
  for (const rule of rules) {
    options.test(`event store: ${rule.name}`, async () => {
      const underTest = await options.create();
      try {
        await rule.check(underTest);
      } finally {
        await underTest.dispose?.();
      }
    });
  }
}
