import {
  ConcurrencyError,
  EventLog,
  EventStoreError,
  WriterOustedError,
  defineTool,
  memoryEventStore,
} from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from './conversation.js';
import type { Limits } from '../limits.js';

/** A conversation whose model calls a tool, twice in each answer, and never ends. */
async function working(store: EventStore, limits: Partial<Limits> = {}, onCall = () => undefined as unknown) {
  const tool = defineTool({
    name: 'work',
    description: '',
    input: z.object({ part: z.number() }),
    execute: () => {
      onCall();
      return 'worked';
    },
  });
  const llm = scriptedLLM({
    idPrefix: crypto.randomUUID(),
    script: () => ({ toolCalls: [1, 2].map((part) => ({ name: 'work', arguments: { part } })) }),
    prices: { input: 1, cacheRead: 1, cacheWrite: 1, output: 1 },
  });
  const agent = new Agent({ llm, tools: [tool] });
  const conversation = await Conversation.open({ agent, store, conversationId: 'c', limits, stuckDetection: false });
  return { conversation, llm };
}

const typesIn = async (store: EventStore) => {
  const events: Event[] = [];
  for await (const event of store.read('c')) events.push(event);
  return events.map(({ type }) => type);
};

test.each([
  new WriterOustedError('c'),
  new ConcurrencyError({ conversationId: 'c', expectedVersion: 5, actualVersion: 6 }),
])('a run that has lost its conversation appends nothing, though it could: $name', async (lost) => {
  const { openForWriting: _, ...memory } = memoryEventStore();
  const store: EventStore = {
    ...memory,
    append: async (id, events, options) => {
      if (events.some(({ type }) => type === 'observation')) throw lost;
      return memory.append(id, events, options);
    },
  };
  let calls = 0;
  const { conversation } = await working(store, {}, () => calls++);
  await conversation.send('Go.');
  const error = await conversation.run().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'ConversationRunError', cause: lost });
  expect(conversation.status).toBe('error');
  expect((await typesIn(memory)).slice(-4)).toEqual(['conversation-state-update', 'llm-usage', 'action', 'action']);
  // The second call of the answer did not begin.
  expect(calls).toBe(1);
});

test.each(['message', 'action', 'observation'])(
  'a conversation whose store kept a(n) %s without acknowledging it goes on, and nothing is there twice',
  async (lost) => {
    const { openForWriting: _, ...memory } = memoryEventStore();
    let isLost = false;
    const store: EventStore = {
      ...memory,
      append: async (id, events, options) => {
        const answer = await memory.append(id, events, options);
        if (isLost || !events.some(({ type }) => type === lost)) return answer;
        isLost = true;
        throw new EventStoreError('the connection was lost');
      },
    };
    const { conversation } = await working(store, {}, () => isLost && conversation.release());
    const failed = conversation.send('Go.').then(async () => conversation.run());
    await expect(failed).rejects.toThrow('the connection was lost');
    expect(await conversation.run()).toMatchObject({ status: 'released' });
    const ids = [...conversation.events].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...(await EventLog.open('c', { store }))]).toEqual([...conversation.events]);
  },
);

describe('a run that another process goes on with is the same run', () => {
  test('its steps count, and nothing but a new run is given new ones', async () => {
    const store = memoryEventStore();
    const limits = { maxIterations: 3 };
    const first = await working(store, limits, () => first.conversation.release());
    await first.conversation.send('Go.');
    expect(await first.conversation.run()).toEqual({ status: 'released', iterations: 1, condensations: 0 });
    expect(first.conversation.status).toBe('idle');
    expect((await typesIn(store)).slice(-2)).toEqual(['observation', 'observation']);

    const second = await working(store, limits);
    await expect(second.conversation.run()).rejects.toMatchObject({ cause: { limit: 'iterations' } });
    expect(second.llm.requests).toHaveLength(2);

    const third = await working(store, limits);
    await expect(third.conversation.run()).rejects.toMatchObject({ cause: { limit: 'iterations' } });
    expect(third.llm.requests).toHaveLength(3);
  });

  test.each([{ maxTokens: 1 }, { maxCostUsd: 0.000_001 }])('so do its tokens and its money: %o', async (limits) => {
    const store = memoryEventStore();
    const first = await working(store, {}, () => first.conversation.release());
    await first.conversation.send('Go.');
    await first.conversation.run();
    const second = await working(store, limits);
    await expect(second.conversation.run()).rejects.toMatchObject({ cause: { name: 'LimitExceededError' } });
    expect(second.llm.requests).toHaveLength(0);
  });

  test('without a run there is nothing to release', async () => {
    const { conversation } = await working(memoryEventStore(), { maxIterations: 1 });
    conversation.release();
    await conversation.send('Go.');
    await expect(conversation.run()).rejects.toMatchObject({ cause: { limit: 'iterations' } });
  });
});
