import { expect, test } from 'vitest';
import { memoryEventStore } from './memory-event-store.js';
import { logBuilder } from './testing/index.js';

// The port's promises are checked in testing/event-store-contract.test.ts.
test('two memory stores share nothing', async () => {
  const log = logBuilder();
  log.user('hi');
  await memoryEventStore().append('c', log.events);
  for await (const _ of memoryEventStore().read('c')) expect.unreachable();
});
