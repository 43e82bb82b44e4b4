import { defineTool, memoryEventStore } from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation, NoCondensationAvailableError } from '@palimpsest/view';
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
