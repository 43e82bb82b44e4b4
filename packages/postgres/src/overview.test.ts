import { randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import { createEvent, userMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { beforeAll, describe, expect, test } from 'vitest';
import { pglite } from '../test-support/pglite.js';
import { migrate, postgresConversations, postgresEventStore } from './index.js';

let database: PGlite;
let schema: string;
beforeAll(async () => {
  database = await pglite();
  schema = `test-${randomUUID()}`;
  await migrate(database, { schema });
});

const storeOf = (tenantOf?: (id: string) => string) =>
  postgresEventStore({ client: database, schema, ...(tenantOf === undefined ? {} : { tenantOf }) });

const status = (value: unknown) => createEvent('conversation-state-update', { key: 'status', value });
const call = (id: string, llmResponseId: string, executable = true): Event =>
  createEvent('action', {
    id,
    thought: [],
    toolCall: { id, name: 'order', arguments: '{}' },
    llmResponseId,
    ...(executable ? {} : { executable }),
  });
const result = (actionId: string): Event =>
  createEvent('observation', { toolName: 'order', toolCallId: actionId, actionId, content: [] });
const rejection = (actionId: string): Event =>
  createEvent('user-reject-observation', {
    toolName: 'order',
    toolCallId: actionId,
    actionId,
    rejectionReason: 'No.',
  });
const confirmed = (...actions: readonly string[]): Event =>
  createEvent('conversation-state-update', { source: 'user', key: 'confirmed-actions', value: { actions } });
const answer = (llmResponseId: string): Event =>
  createEvent('message', {
    source: 'agent',
    role: 'assistant',
    content: [{ type: 'text', text: 'Done \0 \ud83d\ude00.' }],
    llmResponseId,
  });
const usage = (outputTokens: number, costUsd?: number): Event =>
  createEvent('llm-usage', {
    responseId: 'r',
    model: 'm',
    usage: { uncachedInputTokens: 10, cacheReadTokens: 5, cacheWriteTokens: 1, outputTokens },
    ...(costUsd === undefined ? {} : { costUsd }),
    purpose: 'agent',
  });

async function overviews() {
  const { conversations } = await postgresConversations({ client: database, schema }).list({}, { limit: 1_000 });
  return new Map(conversations.map((one) => [one.conversationId, one]));
}

async function overviewOf(conversationId: string) {
  const found = (await overviews()).get(conversationId);
  if (found === undefined) throw new Error('there is no such conversation');
  return found;
}

describe('the overview of a conversation', () => {
  test('follows its log, append by append', async () => {
    const store = storeOf(() => 'acme');
    const id = 'a\0 conversation';
    const steps: readonly (readonly [readonly Event[], object])[] = [
      [[userMessage('Hello.')], { status: 'idle', attempts: 0, waiting: 0, tenant: 'acme', isCurrent: true }],
      [[status('running')], { status: 'running', attempts: 1 }],
      [[status('running')], { status: 'running', attempts: 2 }],
      [[usage(7, 0.1), call('1', 'r1'), call('2', 'r1'), call('3', 'r1', false)], { waiting: 0, costUsd: 0.1 }],
      [[status('waiting-for-confirmation')], { status: 'waiting-for-confirmation', waiting: 2, attempts: 2 }],
      [[confirmed('1')], { waiting: 1 }],
      [[rejection('2'), status('idle')], { waiting: 0, status: 'idle' }],
      [[status('running'), result('1')], { status: 'running', attempts: 1 }],
      // The call without an end is abandoned by the next response.
      [[call('4', 'r2')], { waiting: 0 }],
      [[call('5', 'r2'), status('waiting-for-confirmation')], { waiting: 2 }],
      [[answer('r3'), usage(3, 0.2)], { waiting: 0, inputTokens: 32, outputTokens: 10, costUsd: 0.3 }],
      [[status('finished')], { status: 'finished' }],
      [[userMessage('And now?')], { status: 'idle' }],
      [[status('error'), userMessage('Again.')], { status: 'error' }],
      [
        [createEvent('condensation', { forgottenEventIds: [], metadata: { costUsd: 0.05 } })],
        { costUsd: 0.35, outputTokens: 10 },
      ],
    ];
    let version = 0;
    for (const [events, expected] of steps) {
      ({ version } = await store.append(id, events, { expectedVersion: version }));
      expect(await overviewOf(id)).toMatchObject({ version, ...expected });
    }
    const events: Event[] = [];
    for await (const event of store.read(id)) events.push(event);
    const { bytes, activeAt } = await overviewOf(id);
    expect(bytes).toBe(events.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0));
    expect(activeAt?.toISOString()).toBe(events.at(-1)?.timestamp);
  });

  test('is what a command computes from the log, however the log was appended', async () => {
    const conversations = postgresConversations({ client: database, schema });
    const store = storeOf((id) => (id.endsWith('7') ? 'one' : 'other'));
    const ids: string[] = [];
    for (let seed = 1; seed <= 40; seed++) {
      const random = randomBy(seed);
      const id = `random ${seed}`;
      ids.push(id);
      const log = Array.from({ length: 40 }, () => anyEvent(random));
      for (let start = 0; start < log.length;) {
        const end = start + 1 + Math.floor(random() * 6);
        await store.append(id, log.slice(start, end));
        start = end;
      }
    }
    const kept = await overviews();
    await database.query(`update "${schema}".palimpsest_conversations set
      overview_version = 0, status = 'nonsense', open_actions = '{1,2}', attempts = 9, bytes = 1, cost_usd = 5,
      input_tokens = 3, output_tokens = 4, active_at = null, response = 5`);
    expect((await conversations.list({ isStale: true }, { limit: 1 })).conversations).toHaveLength(1);
    const { rebuilt, unreadable } = await conversations.rebuild();
    expect(rebuilt).toBeGreaterThanOrEqual(40);
    expect(unreadable).toEqual([]);
    expect(await overviews()).toEqual(kept);
    expect((await conversations.list({ isStale: true })).conversations).toEqual([]);
    // What it is next is right, too: the columns behind the counts are the same.
    for (const id of ids) await store.append(id, [status('waiting-for-confirmation')]);
    const waiting = await overviews();
    await conversations.rebuild({ all: true });
    expect(await overviews()).toEqual(waiting);
  });

  test('stays behind, and says so, where an older worker appended', async () => {
    const id = 'of an older worker';
    const store = storeOf();
    await store.append(id, [userMessage('one')]);
    // The statement of the first version, without its locks.
    await database.query(
      `with head as (update "${schema}".palimpsest_conversations set version = version + 1
         where conversation = convert_to($1, 'utf8') returning key, version)
       insert into "${schema}".palimpsest_events select key, version - 1, $2 from head`,
      [id, JSON.stringify(status('finished'))],
    );
    expect(await overviewOf(id)).toMatchObject({ version: 2, isCurrent: false, status: 'idle' });
    await store.append(id, [usage(1)]);
    expect(await overviewOf(id)).toMatchObject({ version: 3, isCurrent: false });
    await postgresConversations({ client: database, schema }).rebuild();
    expect(await overviewOf(id)).toMatchObject({ version: 3, isCurrent: true, status: 'finished', outputTokens: 1 });
    await store.append(id, [userMessage('two')]);
    expect(await overviewOf(id)).toMatchObject({ version: 4, isCurrent: true, status: 'idle' });
  });

  test('holds what events of strangers say only where it can', async () => {
    const id = 'strange';
    await storeOf().append(id, [
      { ...userMessage('one'), timestamp: 'yesterday' },
      { ...userMessage('two'), timestamp: '9999999-01-01' },
      status('\0'),
      status({ running: true }),
      createEvent('conversation-state-update', { source: 'user', key: 'confirmed-actions', value: null }),
      createEvent('conversation-state-update', { source: 'user', key: 'confirmed-actions', value: { actions: 'all' } }),
      createEvent('condensation', { forgottenEventIds: [], metadata: { usage: { outputTokens: -3 }, costUsd: 1e300 } }),
    ]);
    expect(await overviewOf(id)).toMatchObject({
      status: 'idle',
      activeAt: expect.any(Date),
      costUsd: 0,
      outputTokens: 0,
    });
  });

  test('a tenant that cannot be stored is an error, before anything is', async () => {
    await expect(storeOf(() => 'a\0').append('t', [userMessage('one')])).rejects.toThrow(/tenant of 't'/);
  });
});

/** A generator of numbers from 0 to 1. */
function randomBy(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    return ((state ^ (state >>> 13)) >>> 0) / 4_294_967_296;
  };
}

let calls = 0;
const recent: string[] = ['none'];

function anyEvent(random: () => number): Event {
  const response = `r${Math.floor(random() * 4)}`;
  const any = () => recent[Math.floor(random() * recent.length)] ?? 'none';
  switch (Math.floor(random() * 10)) {
    case 0:
      return userMessage('Hello?');
    case 1:
      return status(
        ['running', 'finished', 'waiting-for-confirmation', 'error', 'stuck', 'paused'][Math.floor(random() * 6)],
      );
    case 2:
      return status('running');
    case 3:
    case 4: {
      recent.push(`call ${++calls}`);
      if (recent.length > 6) recent.shift();
      return call(`call ${calls}`, response);
    }
    case 5:
      return result(any());
    case 6:
      return answer(response);
    case 7:
      return confirmed(any(), any());
    case 8:
      return rejection(any());
    default:
      return usage(Math.floor(random() * 1000), random());
  }
}
