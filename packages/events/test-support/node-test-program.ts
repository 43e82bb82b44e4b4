// The contract under another runner than ours: run as a program by node-test-program.test.ts.
import { test } from 'node:test';
import { memoryEventStore } from '../src/memory-event-store.js';
import { eventStoreContract } from '../src/testing/event-store-contract.js';

eventStoreContract({ test, create: () => ({ store: memoryEventStore() }) });
eventStoreContract({
  test: (name, run) => test(`broken ${name}`, run),
  create: () => ({ store: { ...memoryEventStore(), append: async () => ({ version: 1 }) } }),
});
