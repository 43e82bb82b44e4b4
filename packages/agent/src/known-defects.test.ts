import { createEvent, defineTool, memoryEventStore, userMessage } from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation, NoCondensationAvailableError, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import type { AgentOptions } from './agent-options.js';
import { Conversation } from './conversation/conversation.js';
import { finishTool, requestCondensationTool } from './tool-calls/built-in-tools.js';

/** Known defects of other systems in a step or a loop, by their numbers in the project's list. */

const ran: string[] = [];
const act = defineTool({
  name: 'act',
  description: '',
  input: z.object({ what: z.string() }),
  execute: ({ what }) => {
    ran.push(what);
    return `did ${what}`;
  },
});

const acting = (...whats: string[]) => whats.map((what) => ({ name: 'act', arguments: { what }, id: `call-${what}` }));

async function opened(script: Script, options: Partial<AgentOptions> & { store?: EventStore; events?: Event[] } = {}) {
  ran.length = 0;
  const { store = memoryEventStore(), events = [], ...own } = options;
  if (events.length > 0) await store.append('c', events);
  const llm = scriptedLLM({ script });
  const agent = new Agent({
    llm,
    tools: [act, finishTool(), requestCondensationTool()],
    systemPrompt: 'Work.',
    ...own,
  });
  return { llm, store, conversation: await Conversation.open({ agent, store, conversationId: 'c' }) };
}

test('G1: an action that waited for a yes when the process ended is no orphan afterwards', async () => {
  const first = await opened([{ toolCalls: acting('a') }], { confirmation: 'always' });
  await first.conversation.send('Go.');
  await first.conversation.run();
  const second = await opened(['Done.'], { confirmation: 'always', store: first.store });
  expect(second.conversation.waitingActions).toHaveLength(1);
  await second.conversation.confirm();
  expect(await second.conversation.run()).toMatchObject({ answer: 'Done.' });
  expect(ran).toEqual(['a']);
  expect(messageViolations(second.llm.requests[0]?.messages ?? [])).toEqual([]);
  expect(second.llm.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
});

test('G3: what a running conversation shows is what its log gives when it is read again', async () => {
  const { conversation } = await opened([
    { toolCalls: acting('a', 'b') },
    { toolCalls: [{ name: 'nothing' }] },
    'Done.',
  ]);
  const shown: string[] = [];
  conversation.events.observe(() => shown.push(JSON.stringify(conversation.view.toMessages())));
  await conversation.send('Go.');
  await conversation.run();
  const events = [...conversation.events];
  shown.forEach((messages, index) => {
    expect(messages).toBe(JSON.stringify(View.fromEvents(events.slice(0, index + 1)).toMessages()));
  });
});

test('G4: calls after a finish are answered, and no later run carries them out', async () => {
  const finish = { name: 'finish', arguments: { message: 'Done.' } };
  const { conversation, llm } = await opened([{ toolCalls: [finish, ...acting('late')] }, 'Fine.']);
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ answer: 'Done.' });
  await conversation.send('Thanks.');
  await conversation.run();
  expect(ran).toEqual([]);
  expect(messageViolations(llm.requests.at(-1)?.messages ?? [])).toEqual([]);
});

test('G5: words of the user while actions wait, and a bad call among good ones, leave an order that providers take', async () => {
  const calls = [...acting('a'), { name: 'nothing', id: 'call-bad' }, ...acting('b')];
  const { conversation, llm } = await opened([{ toolCalls: calls }, 'Done.'], { confirmation: 'always' });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.send('Hurry.');
  await conversation.confirm();
  await conversation.run();
  const last = llm.requests.at(-1)?.messages ?? [];
  expect(messageViolations(last)).toEqual([]);
  expect(last.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'tool', 'user']);
});

test('G8: after the last resort the instructions and the words of the user are still there', async () => {
  const useless: Condenser = {
    name: 'useless',
    handlesCondensationRequests: true,
    condense: (view) => {
      if (view.unhandledCondensationRequest) throw new NoCondensationAvailableError('no idea');
      return view;
    },
  };
  const tooLong = new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input' });
  const script: Script = ({ messages }, index) => {
    if (index < 4) return { toolCalls: acting(`${index}`) };
    return messages.length > 8 ? tooLong : 'Done.';
  };
  const { conversation, llm } = await opened(script, { condenser: useless });
  await conversation.send('The task.');
  expect(await conversation.run()).toMatchObject({ answer: 'Done.' });
  const last = llm.requests.at(-1)?.messages ?? [];
  expect(last[0]).toMatchObject({ role: 'system', content: [{ text: 'Work.' }] });
  expect(JSON.stringify(last)).toContain('The task.');
  expect(JSON.stringify(last)).toContain('were dropped');
  expect(messageViolations(last)).toEqual([]);
});

test('G14: condense() condenses, and runs no action that waits', async () => {
  const condenser: Condenser = {
    name: 'middle',
    handlesCondensationRequests: true,
    condense: (view) =>
      view.unhandledCondensationRequest ? condensation({ view, start: 2, end: view.events.length }) : view,
  };
  const { conversation } = await opened([{ toolCalls: acting('a') }, { toolCalls: acting('b') }], {
    condenser,
    confirmation: (action) => action.toolCall.id === 'call-b',
  });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.condense();
  expect(ran).toEqual(['a']);
  expect([...conversation.events].filter(({ type }) => type === 'condensation')).toHaveLength(1);
  expect(conversation.waitingActions).toHaveLength(1);
});

test('G15: a pause or a change of state in the log splits no tool loop', () => {
  const thinkingBlocks = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;
  const write = (between: () => Event | undefined) => {
    const log = logBuilder();
    log.user('Go.');
    log.call('act', {}, '1', { thinkingBlocks });
    const event = between();
    const events = event === undefined ? [...log.events] : [...log.events, event];
    log.call('act', {}, '2');
    return View.fromEvents([...events, ...log.events.slice(3)], { thinking: 'latest-turn' });
  };
  const plain = write(() => undefined);
  for (const type of ['pause', 'conversation-state-update'] as const) {
    const view = write(() => (type === 'pause' ? createEvent(type, {}) : createEvent(type, { key: 'k', value: 1 })));
    expect([...view.cutPoints]).toEqual([...plain.cutPoints]);
    expect(view.toMessages()).toEqual(plain.toMessages());
  }
});

test('G20: condensations, requests and recoveries take nothing from the iterations', async () => {
  let overflowed = false;
  const condenser: Condenser = {
    name: 'rolling',
    handlesCondensationRequests: true,
    condense: (view) =>
      view.events.length > 7 || view.unhandledCondensationRequest
        ? condensation({ view, start: 2, end: view.events.length - 2, summary: 'S' })
        : view,
  };
  const script: Script = (_, index) => {
    if (index === 5 && !overflowed) {
      overflowed = true;
      return new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input' });
    }
    return index < 9 ? { toolCalls: acting(`${index}`) } : 'Done.';
  };
  const { conversation } = await opened(script, { condenser });
  await conversation.events.append(userMessage('Go.'));
  const outcome = await conversation.run();
  expect(outcome.condensations).toBeGreaterThan(1);
  expect(outcome.iterations).toBe(9);
  expect([...conversation.events].filter(({ type }) => type === 'llm-usage')).toHaveLength(9);
});
