import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { fileEventStore } from '../file/index.js';
import { memoryEventStore } from '../memory-event-store.js';
import { eventStoreContract } from './event-store-contract.js';
import type { StoreUnderTest } from './store-rule.js';

describe('the memory store', () => {
  eventStoreContract({ test, create: () => ({ store: memoryEventStore() }) });
});

/** With and without fsync the code is the same: `npm test` runs it with it alone, CI's thorough run without it, too. */
const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';

describe.each(isThorough ? [true, false] : [true])('the file store, fsync: %s', (fsync) => {
  eventStoreContract({ test, create: async () => await folderOfLogs(fsync), reopens: true });
});

async function folderOfLogs(fsync: boolean): Promise<StoreUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  return {
    store: fileEventStore({ directory, fsync }),
    reopen: () => fileEventStore({ directory, fsync }),
    dispose: async () => await rm(directory, { recursive: true }),
  };
}
