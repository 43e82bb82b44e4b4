import { ConversationBusyError, defineTool, memoryEventStore } from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import { ContentPolicyError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import { Conversation } from './conversation/conversation.js';

import { finishTool } from './tool-calls/built-in-tools.js';

const ofType = (events: Iterable<Event>, type: string) => [...events].filter((event) => event.type === type);

/** A tool that runs until the test releases it, and a way to know that it runs. */
function gate(annotations = {}) {
  const ran: string[] = [];
  const open = new Map<string, () => void>();
  const tool = defineTool({
    name: 'wait',
    description: '',
    input: z.object({ name: z.string() }),
    annotations,
    execute: async ({ name }) => {
      ran.push(name);
      await new Promise<void>((resolve) => open.set(name, resolve));
      return name;
    },
  });
  const release = async (name: string): Promise<void> => {
    while (!open.has(name)) await new Promise(setImmediate);
    open.get(name)?.();
  };
  const call = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name: 'wait', arguments: { name } })) });
  return { tool, ran, open, release, call };
}

const rolling: Condenser = {
  name: 'rolling',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.unhandledCondensationRequest
      ? condensation({ view, start: 1, end: view.events.length - 2, summary: 'S' })
      : view,
};

test('everything at once during a run: every prefix of the log is a valid history', async () => {
  const { tool, release, call, open } = gate({ parallel: true });
  const script: Script = [call('0'), call('1'), call('a', 'b', 'c'), 'aside', 'Not yet.', 'Done.', 'After.', 'Fork.'];
  const llm = scriptedLLM({ script });
  const agent = new Agent({ llm, tools: [tool], condenser: rolling });
  const conversation = await Conversation.open({ agent });
  await conversation.send('Go.');
  const run = conversation.run();
  await release('0');
  await release('1');
  while (open.size < 5) await new Promise(setImmediate);
  await release('c');
  await Promise.all([
    expect(conversation.run()).rejects.toThrow(ConversationBusyError),
    conversation.send('And this?'),
    conversation.confirm(),
    conversation.reject(),
    conversation.condense(),
    conversation.ask('Where are we?'),
  ]);
  const fork = await conversation.fork();
  await release('a');
  await release('b');
  expect(await run).toMatchObject({ status: 'finished', condensations: 1 });
  expect(ofType(conversation.events, 'observation')).toHaveLength(5);
  expect(ofType(conversation.events, 'user-reject-observation')).toEqual([]);
  const log = [...conversation.events];
  for (let end = 1; end <= log.length; end++) {
    expect(messageViolations(View.fromEvents(log.slice(0, end)).toMessages())).toEqual([]);
  }
  for (const { messages } of llm.requests) expect(messageViolations(messages)).toEqual([]);
  expect(fork.status).toBe('idle');
  expect(await fork.run()).toMatchObject({ status: 'finished' });
  expect(ofType(fork.events, 'agent-error')).toHaveLength(2);
});

test('a run is one run, whoever says in the log that it is over', async () => {
  const { tool, release, call, ran } = gate();
  const llm = scriptedLLM({ script: [call('a'), 'Done.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [tool] }) });
  await conversation.send('Go.');
  const run = conversation.run();
  while (ran.length === 0) await new Promise(setImmediate);
  const { createEvent } = new Agent({ llm });
  await conversation.events.append(
    createEvent('conversation-state-update', { key: 'status', value: 'finished' }),
    createEvent('message', { source: 'user', role: 'user', content: [{ type: 'text', text: 'More.' }] }),
  );
  await expect(conversation.run()).rejects.toThrow(ConversationBusyError);
  await release('a');
  await run;
  expect(llm.requests).toHaveLength(2);
});

test('two requests for a condensation at the same time, and a run, share one', async () => {
  let release: () => void = () => undefined;
  let asked = 0;
  const slow: Condenser = {
    ...rolling,
    condense: async (view, context) => {
      if (!view.unhandledCondensationRequest) return view;
      asked++;
      await new Promise<void>((resolve) => (release = resolve));
      return rolling.condense(view, context);
    },
  };
  const llm = scriptedLLM({ script: ['One.', 'Two.', 'Three.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm, condenser: slow }) });
  for (const text of ['1', '2']) {
    await conversation.send(text);
    await conversation.run();
  }
  await conversation.send('3');
  const condensing = [conversation.condense(), conversation.condense()];
  while (asked === 0) await new Promise(setImmediate);
  const third = conversation.condense();
  const run = conversation.run();
  await new Promise(setImmediate);
  release();
  await Promise.all([...condensing, third]);
  expect(await run).toMatchObject({ answer: 'Three.', condensations: 0 });
  expect(asked).toBe(1);
  expect(ofType(conversation.events, 'condensation')).toHaveLength(1);
});

test('two decisions on the same call at the same time: one is made, and the other finds nothing to decide', async () => {
  const { tool, call } = gate();
  const conversations = [];
  for (const decide of ['reject', 'confirm'] as const) {
    const llm = scriptedLLM({ script: [call('a'), 'Done.'] });
    const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [tool], confirmation: 'always' }) });
    await conversation.send('Go.');
    await conversation.run();
    const { length } = conversation.events;
    const [one, other] = await Promise.all([conversation[decide](), conversation[decide]()]);
    expect([one.length, other.length]).toEqual([1, 0]);
    conversations.push([...conversation.events].slice(length).map(({ type }) => type));
  }
  expect(conversations).toEqual([
    ['user-reject-observation', 'conversation-state-update'],
    ['conversation-state-update', 'conversation-state-update'],
  ]);
});

test('pause and interrupt, an abort before the start, and a second of each', async () => {
  const { tool, call, open } = gate();
  const llm = scriptedLLM({ script: [call('a'), 'Done.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [tool], toolTimeoutMs: Infinity }) });
  conversation.pause();
  conversation.interrupt();
  await conversation.send('Go.');
  expect(await conversation.run({ signal: AbortSignal.abort() })).toMatchObject({ status: 'paused', iterations: 0 });
  expect(llm.requests).toHaveLength(0);
  const run = conversation.run();
  while (open.size === 0) await new Promise(setImmediate);
  conversation.pause();
  conversation.interrupt();
  conversation.interrupt();
  expect(await run).toMatchObject({ status: 'paused' });
  expect(ofType(conversation.events, 'pause')).toHaveLength(2);
  expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
});

test('a model that ignores its signal: an interrupt still ends the run', async () => {
  const deaf = { model: 'deaf', complete: () => (setImmediate(stop), new Promise<never>(() => undefined)) };
  const conversation = await Conversation.open({ agent: new Agent({ llm: deaf }) });
  const stop = () => conversation.interrupt();
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ status: 'paused' });
});

describe('a fork', () => {
  test('may not be written into another conversation', async () => {
    const store = memoryEventStore();
    const agent = new Agent({ llm: scriptedLLM({ script: ['One.', 'Two.'] }) });
    const conversation = await Conversation.open({ agent, store, conversationId: 'one' });
    await conversation.send('Go.');
    await conversation.run();
    const other = await Conversation.open({ agent, store, conversationId: 'other' });
    await other.send('Something else.');
    for (const conversationId of ['one', 'other']) {
      await expect(conversation.fork({ store, conversationId })).rejects.toThrow(/already/);
    }
    expect(other.events.length).toBe(1);
    await conversation.fork({ store, conversationId: 'new' });
    expect((await Conversation.open({ agent, store, conversationId: 'new' })).status).toBe('finished');
  });
});

describe('a yes', () => {
  test('that was acted on does not count a second time, also in the same process', async () => {
    let ran = 0;
    let isFull = false;
    const { openForWriting: _, ...memory } = memoryEventStore();
    const store: EventStore = {
      ...memory,
      append: (id, events, options) => {
        if (isFull) return Promise.reject(new Error('disk full'));
        return memory.append(id, events, options);
      },
    };
    const pay = defineTool({
      name: 'pay',
      description: '',
      input: z.object({}),
      execute: () => {
        ran++;
        isFull = true;
        return 'paid';
      },
    });
    const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'pay' }] }, 'Done.'] });
    const agent = new Agent({ llm, tools: [pay], confirmation: 'always' });
    const conversation = await Conversation.open({ agent, store });
    await conversation.send('Pay.');
    expect(await conversation.run()).toMatchObject({ status: 'waiting-for-confirmation' });
    await conversation.confirm();
    await expect(conversation.run()).rejects.toThrow('disk full');
    expect(conversation.status).toBe('error');
    isFull = false;
    expect(await conversation.run()).toMatchObject({ status: 'finished' });
    expect(ran).toBe(1);
    expect(ofType(conversation.events, 'agent-error')).toMatchObject([
      { error: expect.stringContaining('was not run again') as string },
    ]);
  });
});

test('an empty message is refused, because providers would refuse it', async () => {
  const conversation = await Conversation.open({ agent: new Agent({ llm: scriptedLLM({ script: [] }) }) });
  for (const content of ['', ' \n', []]) await expect(conversation.send(content)).rejects.toThrow(TypeError);
  expect(conversation.events.length).toBe(0);
});

test('a second refusal is one also when the framework said something between', async () => {
  const refusal = () => new ContentPolicyError('no', { provider: 'scripted' });
  const llm = scriptedLLM({ script: refusal });
  const agent = new Agent({ llm, systemPrompt: 'Be kind.' });
  const conversation = await Conversation.open({ agent, limits: { maxIterations: 12 }, reminders: [11, 10, 9, 8] });
  await conversation.send('Go.');
  await expect(conversation.run()).rejects.toMatchObject({ cause: { code: 'content-policy' } });
  expect(llm.requests).toHaveLength(2);
  // The user may have rephrased it, so the model is told again.
  await conversation.send('Then differently.');
  await expect(conversation.run()).rejects.toMatchObject({ cause: { code: 'content-policy' } });
  expect(llm.requests).toHaveLength(4);
});

test('a listener that fails or is slow delays nobody', async () => {
  const conversation = await Conversation.open({
    agent: new Agent({ llm: scriptedLLM({ script: ['One.', 'Two.'] }) }),
  });
  conversation.events.observe(() => {
    throw new Error('no screen');
  });
  conversation.events.observe(() => new Promise<never>(() => undefined) as never);
  const late: (() => unknown)[] = [
    () => {
      throw new Error('no screen');
    },
    () => Promise.reject(new Error('no screen')),
  ];
  for (const onDelta of late) {
    await conversation.send('Go.');
    expect(await conversation.run({ onDelta })).toMatchObject({ status: 'finished' });
  }
});

test('a question outside a conversation whose condenser fails', async () => {
  const failing: Condenser = {
    name: 'failing',
    condense: () => {
      throw new Error('broken');
    },
  };
  const llm = scriptedLLM({ script: ['Blue.'] });
  const conversation = await Conversation.open({
    agent: new Agent({ llm, condenser: failing, tools: [finishTool()] }),
  });
  await conversation.send('The sky.');
  expect(await conversation.ask('Colour?')).toBe('Blue.');
});
