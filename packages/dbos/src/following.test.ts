import { randomUUID } from 'node:crypto';
import { Agent, Conversation } from '@palimpsest/agent';
import type { ConversationOptions } from '@palimpsest/agent';
import { defineTool } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import {
  connectionsBeside,
  migrate,
  postgresConversations,
  postgresEventStore,
  postgresLive,
} from '@palimpsest/postgres';
import type { PostgresClient } from '@palimpsest/postgres';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';

const url = inject('postgresUrl') ?? '';

const order = defineTool({
  name: 'order',
  description: 'Orders something.',
  input: z.object({ what: z.string() }),
  execute: ({ what }) => `Ordered ${what}.`,
});
const tea = { toolCalls: [{ id: '1', name: 'order', arguments: '{"what":"tea"}' }] };

/** The parts of one process of a service; `asked` are its statements. */
async function processOf(schema: string, options: Partial<ConversationOptions>) {
  const pool = new pg.Pool({ connectionString: url, max: 3 });
  onTestFinished(() => pool.end());
  await migrate(pool, { schema });
  const asked: string[] = [];
  const client: PostgresClient = {
    query: (text, params) => {
      asked.push(text);
      return pool.query(text, params);
    },
  };
  const live = postgresLive({ client, connect: connectionsBeside(pool), channel: schema });
  const store = postgresEventStore({ client, connect: connectionsBeside(pool), schema, live, tenantOf: () => 'acme' });
  const agent = new Agent({ llm: scriptedLLM({ script: [] }) });
  const open = (conversationId: string) => Conversation.open({ agent, store, live, ...options, conversationId });
  return { open, asked, conversations: postgresConversations({ client: pool, schema }) };
}

describe.skipIf(url === '')('a conversation that another process runs', () => {
  test('is followed event by event and word by word, with few statements', async () => {
    const schema = `test-${randomUUID()}`;
    const llm = scriptedLLM({ script: [tea, 'Your tea is on its way.'] });
    const worker = await processOf(schema, { agent: new Agent({ llm, tools: [order] }) });
    const page = await processOf(schema, {});
    const followed = await page.open('a');
    const events: Event[] = [];
    const deltas: Delta[] = [];
    const stop = new AbortController();
    const following = (async () => {
      const onDelta = (delta: Delta) => void deltas.push(delta);
      for await (const event of followed.follow({ signal: stop.signal, onDelta })) events.push(event);
    })();
    const run = await worker.open('a');
    await run.send('Tea, please.');
    await vi.waitUntil(() => events.length > 0, { timeout: 60_000 });
    page.asked.length = 0;
    await run.run();
    await vi.waitUntil(() => events.length === run.events.length, { timeout: 60_000 });
    stop.abort();
    await following;
    expect(events).toEqual(run.events.slice());
    const said = deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
    expect(said).toBe('Your tea is on its way.');
    expect(deltas.some((delta) => delta.type === 'tool-call' && delta.name === 'order')).toBe(true);
    // A look for each time that it was told, and not one for each event.
    expect(page.asked.length).toBeLessThan(events.length);
  });

  test('has an overview that says what its own fold says', async () => {
    const schema = `test-${randomUUID()}`;
    const both = { toolCalls: [...tea.toolCalls, { id: '2', name: 'order', arguments: '{"what":"milk"}' }] };
    const llm = scriptedLLM({ script: [both, 'Done.', both, 'Then not.'] });
    const agent = new Agent({ llm, tools: [order], confirmation: 'always' });
    const { open, conversations } = await processOf(schema, { agent });
    const conversation = await open('a');
    const overview = async () => (await conversations.list({ tenant: 'acme' })).conversations[0];
    const agrees = async () => {
      const { status, waitingActions, events } = conversation;
      const waiting = status === 'waiting-for-confirmation' ? waitingActions.length : 0;
      const kept = await overview();
      expect(kept).toMatchObject({ status, waiting, version: events.length, isCurrent: true });
      await conversations.rebuild({ all: true });
      expect(await overview()).toEqual(kept);
      return kept;
    };
    await conversation.send('Tea with milk, please.');
    await agrees();
    await conversation.run();
    expect(await agrees()).toMatchObject({ waiting: 2, attempts: 1 });
    await conversation.confirm({ actions: [conversation.waitingActions[0]?.id ?? ''] });
    expect(await agrees()).toMatchObject({ waiting: 1 });
    await conversation.confirm();
    expect(await agrees()).toMatchObject({ waiting: 0, status: 'idle' });
    await conversation.run();
    expect(await agrees()).toMatchObject({ status: 'finished' });
    await conversation.send('The same again.');
    expect(await agrees()).toMatchObject({ status: 'idle' });
    await conversation.run();
    await conversation.reject('Too much.');
    await agrees();
    await conversation.run();
    const last = await agrees();
    expect(last?.inputTokens).toBeGreaterThan(0);
  });
});
