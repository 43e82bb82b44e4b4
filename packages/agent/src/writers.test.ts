import { ConversationBusyError, createEvent, defineTool, memoryEventStore, userMessage } from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import type { AgentOptions } from './agent-options.js';
import { Conversation } from './conversation/conversation.js';
import { ConversationClosedError } from './errors.js';

const condenser: Condenser = {
  name: 'rolling',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.unhandledCondensationRequest
      ? condensation({ view, start: 1, end: view.events.length - 1, summary: 'S' })
      : view,
};

/** An agent whose tool runs until the test releases it. */
function worker(script: Script, options: Partial<AgentOptions> = {}) {
  let go: () => void = () => undefined;
  let ran = 0;
  const tool = defineTool({
    name: 'pay',
    description: '',
    input: z.object({}),
    execute: () => new Promise<string>((resolve) => (ran++, (go = () => resolve('paid')))),
  });
  const agent = new Agent({ llm: scriptedLLM({ script }), tools: [tool], condenser, ...options });
  const running = async () => {
    while (ran === 0) await new Promise(setImmediate);
  };
  return { agent, running, go: () => go(), ran: () => ran };
}

const pay = { toolCalls: [{ name: 'pay' }] };
const opened = (agent: Agent, store: EventStore) => Conversation.open({ agent, store, conversationId: 'c' });
const types = (events: Iterable<Event>) => [...events].map(({ type }) => type);

test('during a run another writer is refused and changes nothing; no live call is answered as lost', async () => {
  const store = memoryEventStore();
  const first = worker([pay, 'Done.']);
  const conversation = await opened(first.agent, store);
  await conversation.send('Pay.');
  const run = conversation.run();
  await first.running();

  const second = worker(['I was here.']);
  const other = await opened(second.agent, store);
  const before = types(conversation.events);
  const attempts: (() => Promise<unknown>)[] = [
    () => other.run(),
    () => other.send('Me too.'),
    () => other.confirm(),
    () => other.reject(),
    () => other.ask('Where are we?'),
    () => other.condense(),
    () => other.events.append(userMessage('Beside it.')),
    () => store.append('c', [userMessage('Below it.')]),
  ];
  for (const attempt of attempts) {
    await expect(attempt()).rejects.toThrow(ConversationBusyError);
    await expect(attempt()).rejects.toMatchObject({ conversationId: 'c' });
  }
  expect(types(conversation.events)).toEqual(before);
  // Reading and forking still work.
  expect(types(other.events)).toEqual(before);
  expect(await (await other.fork()).run()).toMatchObject({ answer: 'I was here.' });

  first.go();
  expect(await run).toMatchObject({ status: 'finished', answer: 'Done.' });
  expect(first.ran()).toBe(1);
  expect(types(conversation.events)).not.toContain('agent-error');
});

test('the next writer first reads the events that were appended meanwhile', async () => {
  const store = memoryEventStore();
  const first = await opened(worker(['One.', 'Three.']).agent, store);
  const { agent } = worker(['Two.']);
  await first.send('1');
  const second = await opened(agent, store);
  expect(await first.run()).toMatchObject({ answer: 'One.' });
  // The second one has not read the answer yet.
  expect(await second.run()).toMatchObject({ status: 'finished', answer: 'One.', iterations: 0 });
  await second.send('2');
  expect(await second.run()).toMatchObject({ answer: 'Two.' });
  await first.send('3');
  expect(await first.run()).toMatchObject({ answer: 'Three.' });
  expect(types(first.events)).toEqual(types((await opened(agent, store)).events));
});

test('instructions of another process do not stay in force here', async () => {
  const store = memoryEventStore();
  const first = await opened(worker(['One.', 'Three.'], { systemPrompt: 'Be brief.' }).agent, store);
  const second = await opened(worker(['Two.'], { systemPrompt: 'Be thorough.' }).agent, store);
  for (const each of [first, second, first]) {
    await each.send('Go on.');
    await each.run();
  }
  const prompts = [...first.events].filter(({ type }) => type === 'system-prompt');
  expect(prompts).toMatchObject([
    { systemPrompt: 'Be brief.' },
    { systemPrompt: 'Be thorough.' },
    { systemPrompt: 'Be brief.' },
  ]);
});

test('a conversation that is idle, paused or waiting does not hold the log', async () => {
  const store = memoryEventStore();
  const { agent } = worker([pay, 'Done.'], { confirmation: 'always' });
  const first = await opened(agent, store);
  await first.send('Pay.');
  expect(await first.run({ signal: AbortSignal.abort() })).toMatchObject({ status: 'paused' });
  const second = await opened(agent, store);
  await second.send('Please.');
  expect(await first.run()).toMatchObject({ status: 'waiting-for-confirmation' });
  await second.reject('No.');
  expect(second.status).toBe('idle');
  expect(await first.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
});

test('a reader follows events of another process, and can fork them', async () => {
  const store = memoryEventStore();
  const first = worker([pay, 'Done.'], { systemPrompt: 'Be brief.' });
  const other = await opened(worker(['I was here.', 'Mine.'], { systemPrompt: 'Be thorough.' }).agent, store);
  const end = new AbortController();
  const followed: Event[] = [];
  const following = (async () => {
    for await (const event of other.follow({ signal: end.signal })) {
      followed.push(event);
      if (event.type === 'observation') end.abort();
    }
  })();
  const conversation = await opened(first.agent, store);
  await conversation.send('Pay.');
  const run = conversation.run();
  await first.running();
  expect(types((await other.fork()).events)).toContain('action');
  first.go();
  await run;
  await following;
  expect(followed).toEqual(conversation.events.slice(0, followed.length));
  expect(followed.length).toBeGreaterThan(3);
  // Its own instructions come into force when it writes.
  await other.send('And now?');
  expect([...other.events].filter(({ type }) => type === 'system-prompt')).toHaveLength(2);
});

test('a failed opening holds nothing, and a failed run releases the log', async () => {
  const memory = memoryEventStore();
  let isBroken = true;
  const store: EventStore = {
    ...memory,
    read: (id, options) => {
      if (isBroken && (options?.from ?? 0) > 0) throw new Error('unreadable');
      return memory.read(id, options);
    },
  };
  await memory.append('c', [userMessage('Go.')]);
  const conversation = await opened(worker([new Error('no model'), 'Done.']).agent, store);
  await memory.append('c', [userMessage('Go on.')]);
  await expect(conversation.run()).rejects.toThrow('unreadable');
  isBroken = false;
  await expect(conversation.run()).rejects.toThrow('no model');
  const other = await opened(worker(['Done.']).agent, store);
  expect(await other.run()).toMatchObject({ answer: 'Done.' });
});

test('a closed conversation ends its run, releases the log, and appends nothing more', async () => {
  const store = memoryEventStore();
  const { agent, running } = worker([pay]);
  const conversation = await opened(agent, store);
  await conversation.send('Pay.');
  const run = conversation.run();
  await running();
  await conversation.close();
  expect(await run).toMatchObject({ status: 'paused' });
  await conversation.close();
  for (const attempt of [() => conversation.run(), () => conversation.send('More.'), () => conversation.confirm()]) {
    await expect(attempt()).rejects.toThrow(ConversationClosedError);
  }
  expect((await conversation.fork()).events.length).toBeGreaterThan(3);
  const other = await opened(worker(['Done.']).agent, store);
  expect(await other.run()).toMatchObject({ status: 'finished' });
});

test('a store without openForWriting: the second writer fails when it appends, and nothing is overwritten', async () => {
  const { openForWriting: _, ...store } = memoryEventStore();
  const first = await opened(worker(['One.']).agent, store);
  const second = await opened(worker(['Two.']).agent, store);
  await first.send('1');
  await expect(second.send('2')).rejects.toMatchObject({ code: 'concurrency' });
  expect(await first.run()).toMatchObject({ answer: 'One.' });
});

test('an event that somebody appends through the log during a run belongs to it', async () => {
  const store = memoryEventStore();
  const { agent, running, go } = worker([pay, 'Done.']);
  const conversation = await opened(agent, store);
  await conversation.send('Pay.');
  const run = conversation.run();
  await running();
  await conversation.events.append(createEvent('acme/note', { source: 'user' }));
  go();
  expect(await run).toMatchObject({ status: 'finished' });
  expect(types((await opened(agent, store)).events)).toContain('acme/note');
});
