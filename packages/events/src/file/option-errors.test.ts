import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EventStoreError } from '../errors.js';
import { memoryEventStore } from '../memory-event-store.js';
import { logBuilder } from '../testing/index.js';
import { fileEventStore } from './file-event-store.js';

test('a store without a directory is refused, with what to pass', () => {
  for (const options of [undefined, null, {}, { directory: undefined }, { directory: 7 }, './logs']) {
    const create = () => fileEventStore(options as never);
    expect(create).toThrow(EventStoreError);
    expect(create).toThrow("pass { directory: '…' }");
  }
});

test('an expected version that is no number of events is refused by every append, and nothing is appended', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  try {
    const [event] = [logBuilder().user('Go.')];
    for (const store of [memoryEventStore(), fileEventStore({ directory })]) {
      for (const expectedVersion of [NaN, -1, 0.5, Infinity, '0' as never]) {
        const refused = `Cannot append at version ${String(expectedVersion)}`;
        await expect(store.append('c', [event], { expectedVersion })).rejects.toThrow(refused);
        await expect(store.append('c', [], { expectedVersion })).rejects.toThrow(EventStoreError);
        const writer = await store.openForWriting?.('c');
        await expect(writer?.append([event], { expectedVersion })).rejects.toThrow(refused);
        await writer?.close();
      }
      expect(await store.append('c', [event], { expectedVersion: 0 })).toEqual({ version: 1 });
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});
