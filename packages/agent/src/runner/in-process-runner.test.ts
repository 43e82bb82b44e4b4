import { defineTool, EventStoreError, memoryEventStore } from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import { limitedLLM, memoryRateLimitStore, rateLimit } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';
import { runnerContract } from '../testing/runner-contract.js';
import { FairQueue, inProcessRunner } from './in-process-runner.js';
import { deliver } from './runner.js';
import type { Inbox, InboxMessage, RunEnd } from './runner.js';

runnerContract({ test, create: (options) => ({ runner: inProcessRunner(options) }) });

describe('the queue', () => {
  test('gives the tenants turns, whatever they have waiting', () => {
    const queue = new FairQueue((id) => id.charAt(0));
    for (const id of ['a1', 'a2', 'a3', 'b1', 'a2', 'c1', 'b2']) queue.add(id);
    const taken = Array.from({ length: 7 }, () => queue.take(() => true));
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined]);
    expect(queue.size).toBe(0);
  });

  test('passes over what may not be taken now, which keeps its place', () => {
    const queue = new FairQueue(() => 'one');
    for (const id of ['1', '2', '3']) queue.add(id);
    expect(queue.take((id) => id !== '1')).toBe('2');
    expect(queue.take(() => true)).toBe('1');
    expect(queue.size).toBe(1);
  });
});

test('a message that is sent during a run through the same object is read', async () => {
  const conversations = new Map<string, Conversation>();
  const ends: RunEnd[] = [];
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const llm = scriptedLLM({
    script: (_, index) => {
      begin();
      return index === 0 ? { text: 'One.', until: arrived } : 'Two.';
    },
  });
  const open = async (conversationId: string) => {
    const conversation =
      conversations.get(conversationId) ??
      (await Conversation.open({ agent: new Agent({ llm }), store: memoryEventStore(), conversationId }));
    conversations.set(conversationId, conversation);
    return conversation;
  };
  const runner = inProcessRunner({ open, onEnd: (end) => ends.push(end) });
  const conversation = await open('a');
  await conversation.send('One?');
  await runner.start();
  await runner.enqueue('a');
  await begun;
  await conversation.send('Two?');
  await runner.enqueue('a');
  arrive();
  while (ends.length < 2) await new Promise(setImmediate);
  await runner.stop();
  expect(ends).toMatchObject([{ outcome: { answer: 'Two.' } }, { outcome: { answer: 'Two.', iterations: 0 } }]);
});

test('a run whose limit cannot be asked sends nothing, and is tried again', async () => {
  const rates = memoryRateLimitStore();
  let asked = 0;
  const limit = rateLimit({
    requestsPerMinute: 60,
    store: {
      ...rates,
      reserve: (charge) =>
        asked++ === 0 ? Promise.reject(new EventStoreError('The database is gone.')) : rates.reserve(charge),
    },
  });
  const llm = scriptedLLM({ script: ['Done.'] });
  const [store, ends]: [ReturnType<typeof memoryEventStore>, RunEnd[]] = [memoryEventStore(), []];
  const agent = new Agent({ llm: limitedLLM(llm, { limit }) });
  const open = (conversationId: string) => Conversation.open({ agent, store, conversationId });
  const runner = inProcessRunner({ open, onEnd: (end) => ends.push(end), retryMs: 1 });
  await (await open('a')).send('Work.');
  await runner.start();
  await runner.enqueue('a');
  while (ends.length < 2) await new Promise(setImmediate);
  await runner.stop();
  expect(ends).toMatchObject([
    { type: 'failed', retryInMs: 1 },
    { type: 'ended', outcome: { answer: 'Done.' } },
  ]);
  expect(llm.requests).toHaveLength(1);
});

test.each(['store', 'inbox'] as const)(
  'a %s that does not answer holds up no stop, and the request is served by the next start',
  async (silent) => {
    const store = memoryEventStore();
    const inbox = new MemoryInbox();
    inbox.put('one', 'Work.');
    const agent = new Agent({ llm: scriptedLLM({ script: ['Done.'] }) });
    const never = new Promise<never>(() => undefined);
    let isSilent = true;
    let ask: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (ask = resolve));
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const ends: RunEnd[] = [];
    const answer = async <T>(which: string, work: () => Promise<T>) => {
      if (!isSilent || which !== silent) return work();
      ask();
      return never;
    };
    const runner = inProcessRunner({
      open: (conversationId) => answer('store', () => Conversation.open({ agent, store, conversationId })),
      inbox: {
        read: () => answer('inbox', () => inbox.read()),
        remove: (id, ids) => inbox.remove(id, ids),
      },
      onEnd: (one) => {
        ends.push(one);
        if (one.type === 'ended') end();
      },
    });
    await runner.enqueue('a');
    await runner.start();
    await asked;
    await runner.stop({ graceMs: 0 });
    expect(ends).toEqual([{ type: 'handed-over', conversationId: 'a' }]);
    isSilent = false;
    await runner.start();
    await ended;
    await runner.stop();
    expect(ends.slice(1)).toMatchObject([{ type: 'ended', outcome: { status: 'finished', answer: 'Done.' } }]);
  },
);

test('what can hold no run is refused', () => {
  const open = () => Promise.reject(new Error('never opened'));
  expect(() => inProcessRunner({ open, onEnd: () => undefined, maxConcurrentRuns: 0 })).toThrow(RangeError);
});

/** As a table is: what is put in stays until it is taken out. */
class MemoryInbox implements Inbox {
  readonly waiting: InboxMessage[] = [];
  removals = 0;

  put(id: string, text: string): void {
    this.waiting.push({ id, content: [{ type: 'text', text }] });
  }

  async read(): Promise<readonly InboxMessage[]> {
    return [...this.waiting];
  }

  async remove(_conversation: string, ids: readonly string[]): Promise<void> {
    this.removals++;
    this.waiting.splice(0, this.waiting.length, ...this.waiting.filter(({ id }) => !ids.includes(id)));
  }
}

const messageIds = (events: Iterable<Event>) =>
  [...events].flatMap((event) => (event.type === 'message' && event.source === 'user' ? [event.id] : []));

describe('the inbox', () => {
  test('is delivered before a run and to the next model call of one, while nobody else could send', async () => {
    const store = memoryEventStore();
    const inbox = new MemoryInbox();
    inbox.put('first', 'Work.');
    const tool = defineTool({
      name: 'work',
      description: 'Works.',
      input: z.object({}),
      execute: async () => {
        const elsewhere = await Conversation.open({ agent, store, conversationId: 'a' });
        await expect(elsewhere.send('And this.')).rejects.toThrow(/a run|hold|busy/i);
        if (inbox.removals === 1) inbox.put('second', 'And this.');
        return 'worked';
      },
    });
    const shown: string[] = [];
    const llm = scriptedLLM({
      script: ({ messages }, index) => {
        shown.push(JSON.stringify(messages));
        return index < 2 ? { toolCalls: [{ name: 'work' }] } : 'Done.';
      },
    });
    const agent = new Agent({ llm, tools: [tool] });
    const open = (conversationId: string) => Conversation.open({ agent, store, conversationId });
    const end = await new Promise<RunEnd>((onEnd) => {
      const runner = inProcessRunner({ open, onEnd, inbox });
      void runner.enqueue('a').then(() => runner.start());
    });
    expect(end).toMatchObject({ type: 'ended', outcome: { status: 'finished' } });
    expect(shown[0]).not.toContain('And this.');
    expect(shown.at(-1)).toContain('And this.');
    expect(messageIds((await open('a')).events).slice(0, 2)).toEqual(['first', 'second']);
  });

  test('is delivered and run in one go: the conversation is opened for writing once', async () => {
    const memory = memoryEventStore();
    let opened = 0;
    const store: EventStore = {
      ...memory,
      openForWriting: async (id) => {
        opened++;
        const writer = await memory.openForWriting?.(id);
        if (writer === undefined) throw new Error('the store has no openForWriting');
        return writer;
      },
    };
    const inbox = new MemoryInbox();
    inbox.put('first', 'Work.');
    inbox.put('second', 'And this.');
    const agent = new Agent({ llm: scriptedLLM({ script: ['Done.'] }) });
    const open = (conversationId: string) => Conversation.open({ agent, store, conversationId });
    const end = await new Promise<RunEnd>((onEnd) => {
      const runner = inProcessRunner({ open, onEnd, inbox });
      void runner.enqueue('a').then(() => runner.start());
    });
    expect(end).toMatchObject({ type: 'ended', outcome: { status: 'finished' } });
    expect(opened).toBe(1);
  });

  test('a message that was stored before its deliverer died is taken out, and not delivered again', async () => {
    const agent = new Agent({ llm: scriptedLLM({ script: [] }) });
    const conversation = await Conversation.open({ agent, store: memoryEventStore(), conversationId: 'a' });
    const inbox = new MemoryInbox();
    inbox.put('one', 'Once.');
    const remove = inbox.remove.bind(inbox);
    inbox.remove = () => Promise.reject(new Error('The process died.'));
    await expect(deliver(conversation, inbox)).rejects.toThrow('The process died.');
    inbox.remove = remove;
    inbox.put('two', 'Later.');
    await deliver(conversation, inbox);
    expect(messageIds(conversation.events)).toEqual(['one', 'two']);
    expect(inbox.waiting).toEqual([]);
  });
});
