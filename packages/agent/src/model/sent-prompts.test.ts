import { defineTool, memoryEventStore } from '@palimpsest/events';
import { MalformedHistoryError, ServiceUnavailableError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script, ScriptedAnswer } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.number() }),
  execute: ({ at }) => `${at} is there.`,
});

/** Summarises everything but the system prompt, the task and the newest step, above so many events. */
const summariser = (maxSize: number): Condenser => ({
  name: 'summariser',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.events.length > maxSize
      ? condensation({ view, start: 2, end: view.events.length - 2, summary: 'What was done before.' })
      : view,
});

/** Three steps and an answer, repeatedly. */
const working = (_request: unknown, index: number): ScriptedAnswer =>
  index % 4 === 3 ? 'Done.' : { toolCalls: [{ name: 'look', arguments: { at: index } }] };

async function setUp(options: { readonly script?: Script; readonly condenser?: Condenser } = {}) {
  const llm = scriptedLLM({ script: options.script ?? working });
  const store = memoryEventStore();
  // A new process has a new agent.
  const open = () =>
    Conversation.open({
      conversationId: 'c',
      store,
      agent: new Agent({
        llm,
        systemPrompt: 'Be short.',
        tools: [look],
        condenser: options.condenser,
      }),
    });
  const conversation = await open();
  await conversation.send('Go.');
  const hints = () => llm.requests.map(({ cache }) => cache);
  /** The number of messages of each request. */
  const sizes = () => llm.requests.map(({ messages }) => messages.length);
  return { conversation, open, hints, sizes, llm };
}

async function goOn(conversation: Conversation) {
  await conversation.send('And then?');
  await conversation.run();
}

test('requests share the messages of the requests before, frozen, so that an adapter converts only what is new', async () => {
  const { conversation, llm } = await setUp();
  await conversation.run();
  await goOn(conversation);
  const requests = llm.requests.map(({ messages }) => messages);
  expect(requests.length).toBeGreaterThan(6);
  for (const [index, later] of requests.slice(1).entries()) {
    const earlier = requests[index] ?? [];
    expect(earlier.length).toBeGreaterThan(1);
    for (const [place, message] of earlier.entries()) {
      expect(later[place]).toBe(message);
      expect(Object.isFrozen(message)).toBe(true);
    }
  }
});

test('each request says where the one before it ended', async () => {
  const { conversation, hints } = await setUp();
  await conversation.run();
  expect(hints()).toEqual([
    { key: 'c', cachedMessages: 0 },
    { key: 'c', cachedMessages: 2, stableMessages: [] },
    { key: 'c', cachedMessages: 4, stableMessages: [] },
    { key: 'c', cachedMessages: 6, stableMessages: [] },
  ]);
});

test('a new process reads from the log what was sent last', async () => {
  const { conversation, open, hints, sizes } = await setUp();
  await conversation.run();
  await conversation.close();
  await goOn(await open());
  expect(hints().map((cache) => cache?.cachedMessages)).toEqual([0, ...sizes().slice(0, -1)]);
  expect(sizes()).toHaveLength(8);
});

test.each([
  ['in the same process', false],
  ['in a new one', true],
])('after a condensation what stands behind the summary is not cached: %s', async (_where, isNew) => {
  const { conversation, open, hints, sizes } = await setUp({ condenser: summariser(8) });
  await conversation.run();
  if (isNew) await conversation.close();
  await goOn(isNew ? await open() : conversation);
  expect(sizes().slice(0, 5)).toEqual([2, 4, 6, 8, 4]);
  expect(hints()[3]?.cachedMessages).toBe(6);
  // The summary is part of the message that holds the task; the first request ended behind the task.
  const head = { messages: 1, parts: 1 };
  expect(hints()[4]).toEqual({ key: 'c', cachedMessages: head, stableMessages: [head] });
  expect(hints()[5]).toMatchObject({ cachedMessages: 4 });
});

test('a request that was not answered has left nothing in the cache', async () => {
  const { conversation, hints, sizes } = await setUp({
    script: (request, index) =>
      index === 1 ? new ServiceUnavailableError('overloaded', { provider: 'scripted' }) : working(request, index),
  });
  await expect(conversation.run()).rejects.toThrow('overloaded');
  await conversation.run();
  const [first, , third] = sizes();
  expect(hints().map((cache) => cache?.cachedMessages)).toEqual([0, first, first, third]);
});

test('after a second, changed request, the changed one counts as sent', async () => {
  const { conversation, hints, sizes, llm } = await setUp({
    script: (_request, index) => {
      if (index === 1) return new MalformedHistoryError('invalid signature', { provider: 'scripted' });
      if (index === 3) return 'Done.';
      const thinkingBlocks = index === 0 ? [{ type: 'thinking' as const, thinking: 'Hm.', signature: 's' }] : [];
      return { thinkingBlocks, toolCalls: [{ name: 'look', arguments: { at: index } }] };
    },
  });
  await conversation.run();
  expect(JSON.stringify(llm.requests[1])).toContain('Hm.');
  expect(JSON.stringify(llm.requests[2])).not.toContain('Hm.');
  const [first, , third] = sizes();
  expect(hints().map((cache) => cache?.cachedMessages)).toEqual([0, first, first, third]);
});

test('a question outside the conversation is marked before the question, and does not change the remembered prompt', async () => {
  const { conversation, hints, sizes } = await setUp();
  await conversation.run();
  await conversation.ask('What do you see?');
  const [sent, asked] = sizes().slice(3);
  expect(hints()[4]).toEqual({ key: 'c', cachedMessages: sent, stableMessages: (asked ?? 0) - 1 });
  await goOn(conversation);
  expect(hints()[5]).toMatchObject({ cachedMessages: sent });
});
