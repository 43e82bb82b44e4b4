import { randomUUID } from 'node:crypto';
import { createEvent, ConversationBusyError, EventLog, userMessage } from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import {
  connectionsBeside,
  migrate,
  postgresConversations,
  postgresEventStore,
  postgresInbox,
  postgresRateLimitStore,
} from './index.js';
import type { PostgresConversations } from './index.js';

const url = inject('postgresUrl') ?? '';

const status = (value: string, timestamp?: string): Event => ({
  ...createEvent('conversation-state-update', { key: 'status', value }),
  ...(timestamp === undefined ? {} : { timestamp }),
});

describe.skipIf(url === '')('the stored conversations', () => {
  let pool: pg.Pool;
  let schema: string;
  let store: EventStore;
  let conversations: PostgresConversations;
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: url, max: 10 });
  });
  beforeEach(async () => {
    schema = `test-${randomUUID()}`;
    await migrate(pool, { schema });
    const tenantOf = (id: string) => id.split('/')[0];
    store = postgresEventStore({ client: pool, connect: connectionsBeside(pool), schema, tenantOf });
    conversations = postgresConversations({ client: pool, schema });
  });
  afterAll(() => pool.end());

  const count = async (table: string): Promise<number> => {
    const { rows } = await pool.query<{ count: string }>(`select count(*) from "${schema}".palimpsest_${table}`);
    return Number(rows[0]?.count);
  };

  test('are listed by what they are, page by page, the newest first', async () => {
    for (let index = 0; index < 25; index++) {
      const value = ['running', 'error', 'waiting-for-confirmation'][index % 3] ?? '';
      const day = String(1 + index).padStart(2, '0');
      await store.append(`${index % 2 === 0 ? 'acme' : 'other'}/${index}`, [status(value, `2026-01-${day}T12:00:00Z`)]);
    }
    const idsOf = async (...given: Parameters<PostgresConversations['list']>) =>
      (await conversations.list(...given)).conversations.map(({ conversationId }) => conversationId.split('/')[1]);
    expect(await idsOf({ status: 'error', tenant: 'acme' })).toEqual(['22', '16', '10', '4']);
    expect(await idsOf({ status: ['error', 'running'] }, { limit: 3 })).toEqual(['24', '22', '21']);
    expect(await idsOf({ activeSince: new Date('2026-01-24') })).toEqual(['24', '23']);
    expect(await idsOf({ activeBefore: new Date('2026-01-03') })).toEqual(['1', '0']);
    expect(await idsOf({ isWaiting: true })).toEqual([]);
    expect(await idsOf({ tenant: "'; drop" })).toEqual([]);
    const seen: (string | undefined)[] = [];
    for (let after: string | undefined; ;) {
      const page = await conversations.list({}, { limit: 7, ...(after === undefined ? {} : { after }) });
      seen.push(...page.conversations.map(({ conversationId }) => conversationId.split('/')[1]));
      if (page.next === undefined) break;
      after = page.next;
      // What is new meanwhile moves no page.
      await store.append(`later/${seen.length}`, [userMessage('Hello.')]);
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => String(24 - index)));
    for (const limit of [0, 1_001, 1.5]) await expect(conversations.list({}, { limit })).rejects.toThrow(/limit/);
    await expect(conversations.list({}, { after: 'x' })).rejects.toThrow(/next of no page/);
  });

  test('are added up', async () => {
    for (const [id, costUsd] of [
      ['acme/1', 0.1],
      ['acme/2', 0.2],
      ['other/1', 5],
    ] as const) {
      const usage = { uncachedInputTokens: 100, cacheReadTokens: 20, cacheWriteTokens: 3, outputTokens: 7 };
      const called = createEvent('llm-usage', { responseId: 'r', model: 'm', usage, costUsd });
      await store.append(id, [called, called]);
    }
    expect(await conversations.totals({ tenant: 'acme' })).toMatchObject({
      ...{ conversations: 2, waiting: 0, inputTokens: 492, outputTokens: 28, costUsd: 0.6 },
    });
    expect(await conversations.totals({ tenant: 'nobody' })).toMatchObject({ conversations: 0, costUsd: 0, bytes: 0 });
  });

  test('are erased with what waits in their inbox and with their limits, and others stay', async () => {
    const inbox = postgresInbox({ client: pool, schema });
    const limit = postgresRateLimitStore({ client: pool, schema, name: 'of acme/1' });
    await limit.reserve({ costsMs: [1_000], burstMs: 0 });
    for (const id of ['acme/1', 'acme/2']) {
      await store.append(id, [userMessage('Hello.'), userMessage('Again.')]);
      await inbox.put(id, 'Are you there?');
    }
    const log = await EventLog.open('acme/1', { store });
    expect(await conversations.erase('acme/1', { rates: ['of acme/1'] })).toBe(true);
    expect([await count('conversations'), await count('events'), await count('inbox'), await count('rates')]).toEqual([
      1, 2, 1, 0,
    ]);
    // Whoever has it in memory appends nothing behind a gap.
    await expect(log.append(userMessage('Late.'))).rejects.toMatchObject({ name: 'ConcurrencyError' });
    expect(await conversations.erase('acme/1')).toBe(false);
    await inbox.put('never/begun', 'Hello?');
    expect(await conversations.erase('never/begun')).toBe(true);
    // The id can be used again.
    expect(await store.append('acme/1', [userMessage('New.')], { expectedVersion: 0 })).toEqual({ version: 1 });
  });

  test('are not erased while somebody has them open', async () => {
    const writer = await store.openForWriting?.('acme/1');
    await writer?.append([userMessage('Hello.')]);
    await expect(conversations.erase('acme/1')).rejects.toThrow(ConversationBusyError);
    expect(await conversations.eraseInactive({ since: new Date(Date.now() + 86_400_000) })).toEqual([]);
    await writer?.append([userMessage('Still here.')]);
    await writer?.close();
    expect(await conversations.erase('acme/1')).toBe(true);
  });

  test('are erased whole when nobody has used them since a time', async () => {
    const inbox = postgresInbox({ client: pool, schema });
    const old = '2026-01-01T00:00:00Z';
    for (const id of ['acme/old', 'other/old', 'acme/asked', 'acme/stale'])
      await store.append(id, [status('running', old), status('finished', old)]);
    await store.append('acme/new', [status('finished', old), userMessage('Hello.')]);
    // Somebody wrote to it, and nobody has read that.
    await inbox.put('acme/asked', 'Hello?');
    await inbox.put('acme/old', 'Never read.');
    await pool.query(
      `update "${schema}".palimpsest_inbox set put_at = $1 where conversation = convert_to('acme/old', 'utf8')`,
      [old],
    );
    await pool.query(
      `update "${schema}".palimpsest_conversations set overview_version = 1 where conversation = convert_to('acme/stale', 'utf8')`,
    );
    const limits = ['used', 'unused'].map((name) => postgresRateLimitStore({ client: pool, schema, name }));
    for (const limit of limits) await limit.reserve({ costsMs: [10], burstMs: 0 });
    await pool.query(
      `update "${schema}".palimpsest_rates set seen_at = 1, moment = 1, closed_until = 1, full_at = '{1}' where name = 'unused'`,
    );
    const since = new Date('2026-02-01');
    expect(await conversations.eraseInactive({ since, tenant: 'other' })).toEqual(['other/old']);
    expect(await conversations.eraseInactive({ since, limit: 10 })).toEqual(['acme/old']);
    expect(await conversations.eraseInactive({ since })).toEqual([]);
    const left = (await conversations.list()).conversations.map(({ conversationId }) => conversationId);
    expect(left).toEqual(['acme/new', 'acme/stale', 'acme/asked']);
    expect([await count('events'), await count('inbox'), await count('rates')]).toEqual([6, 1, 1]);
  });

  test('are erased beside workers that append, and no log is left in parts', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `acme/${index}`);
    let isOver = false;
    const others = postgresEventStore({ client: pool, schema });
    let appends = 0;
    const appending = ids.map(async (id) => {
      while (!isOver) {
        await others.append(id, [userMessage('one'), userMessage('two')]).catch((error: unknown) => {
          if (!ConversationBusyError.isInstance(error)) throw error;
        });
        appends++;
      }
    });
    let erased = 0;
    while (erased < 60) {
      for (const id of ids) {
        const done = await conversations.erase(id).catch((error: unknown) => {
          if (ConversationBusyError.isInstance(error)) return false;
          throw error;
        });
        if (done) erased++;
      }
    }
    isOver = true;
    await Promise.all(appending);
    expect(appends).toBeGreaterThan(60);
    let events = 0;
    for await (const { conversationId, version } of store.list()) {
      let read = 0;
      // A gap would be an error.
      for await (const _event of store.read(conversationId)) read++;
      expect(read).toBe(version);
      events += read;
    }
    expect(await count('events')).toBe(events);
    expect((await conversations.list({ isStale: true })).conversations).toEqual([]);
  });
});
