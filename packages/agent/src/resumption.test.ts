import { defineTool, memoryEventStore } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import { begunBy } from './confirmation.js';
import { Conversation } from './conversation/conversation.js';
import { finishTool } from './tool-calls/built-in-tools.js';

const rolling: Condenser = {
  name: 'rolling',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.unhandledCondensationRequest
      ? condensation({ view, start: 2, end: view.events.length - 2, summary: 'S' })
      : view,
};

/** An agent whose tools record what they did, with the first call of each name. */
function worker(script: Script) {
  const ran: string[] = [];
  const doing = (name: string, annotations: object) =>
    defineTool({
      name,
      description: '',
      input: z.object({ what: z.string() }),
      annotations,
      execute: ({ what }) => {
        ran.push(`${name} ${what}`);
        return what;
      },
    });
  const llm = scriptedLLM({ script });
  const tools = [doing('pay', {}), doing('read', { readOnly: true, parallel: true, repeatable: true }), finishTool()];
  const agent = new Agent({ llm, tools, systemPrompt: 'Work.', condenser: rolling, confirmation: 'always' });
  return { llm, agent, ran };
}

const call = (name: string, what: string) => ({ name, arguments: { what } });
const isResult = ({ type }: Event) => ['observation', 'agent-error', 'user-reject-observation'].includes(type);

/** Runs to the end, and confirms every action. */
async function toTheEnd(conversation: Conversation) {
  for (let runs = 0; runs < 20; runs++) {
    const outcome = await conversation.run();
    if (outcome.status === 'finished') return outcome;
    await conversation.confirm();
  }
  throw new Error('it never ends');
}

test('a process that dies after any event: valid requests, nothing lost, nothing paid twice, and an end', async () => {
  const whole = worker([
    { toolCalls: [call('read', '1'), call('read', '2')] },
    { text: 'I pay.', toolCalls: [call('read', '3'), call('pay', 'a'), call('pay', 'b')] },
    new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input' }),
    { toolCalls: [call('pay', 'c'), { name: 'no_such_tool' }] },
    { toolCalls: [{ name: 'finish', arguments: { message: 'Paid.' } }, call('read', '4')] },
  ]);
  const conversation = await Conversation.open({ agent: whole.agent, conversationId: 'c' });
  await conversation.send('Pay them.');
  expect(await toTheEnd(conversation)).toMatchObject({ answer: 'Paid.' });
  const log = [...conversation.events];
  const first = log.findIndex(({ type }) => type === 'message') + 1;
  let prefixesWithOpenPayments = 0;
  let prefixesWithBegunPayments = 0;
  for (let end = first; end <= log.length; end++) {
    const store = memoryEventStore();
    const before = log.slice(0, end);
    await store.append('c', before);
    const { llm, agent, ran } = worker(() => 'Done.');
    const resumed = await Conversation.open({ agent, store, conversationId: 'c' });
    const outcome = await toTheEnd(resumed);
    expect(resumed.events.slice(0, end)).toEqual(before);
    for (const { messages } of llm.requests) expect(messageViolations(messages)).toEqual([]);
    // Actions that had begun may have been carried out, and are not repeated; the others run once, whoever confirmed them.
    const isAnswered = (id: string) =>
      before.some((event) => isResult(event) && 'actionId' in event && event.actionId === id);
    const begun = new Set(before.flatMap(begunBy));
    const toPay = before.flatMap((event) =>
      event.type === 'action' && event.toolCall.name === 'pay' && !isAnswered(event.id) && !begun.has(event.id)
        ? [`pay ${(JSON.parse(event.toolCall.arguments) as { what: string }).what}`]
        : [],
    );
    expect(ran.filter((what) => what.startsWith('pay'))).toEqual(toPay);
    prefixesWithOpenPayments += toPay.length > 0 ? 1 : 0;
    prefixesWithBegunPayments += [...begun].some((id) => !isAnswered(id)) ? 1 : 0;
    const actions = [...resumed.events].filter(({ type }) => type === 'action');
    expect([...resumed.events].filter(isResult)).toHaveLength(actions.length);
    if (before.some((event) => event.type === 'observation' && event.toolName === 'finish')) {
      expect(outcome.answer).toBe('Paid.');
      expect(llm.requests).toHaveLength(0);
    }
  }
  expect(prefixesWithOpenPayments).toBeGreaterThan(5);
  expect(prefixesWithBegunPayments).toBeGreaterThan(2);
});

describe('a log that ends in a status', () => {
  const agent = () => new Agent({ llm: scriptedLLM({ script: ['Done.'] }), systemPrompt: 'Work.' });
  const opened = async (status: string, hook?: () => { readonly veto: string } | undefined) => {
    const one = agent();
    const store = memoryEventStore();
    const message = (source: 'user', text: string) =>
      one.createEvent('message', { source, role: 'user', content: [{ type: 'text', text }] });
    await store.append('c', [
      message('user', 'Go.'),
      one.createEvent('conversation-state-update', { key: 'status', value: status }),
    ]);
    const hooks = hook === undefined ? {} : { hooks: { beforeStop: hook } };
    return Conversation.open({
      agent: new Agent({ llm: scriptedLLM({ script: ['Done.'] }), ...hooks }),
      store,
      conversationId: 'c',
    });
  };

  test.each([
    ['idle', 'idle', 'finished', 1],
    ['running', 'idle', 'finished', 1],
    ['paused', 'paused', 'finished', 1],
    ['waiting-for-confirmation', 'waiting-for-confirmation', 'finished', 1],
    ['error', 'error', 'finished', 1],
    ['stuck', 'stuck', 'stuck', 0],
    ['finished', 'finished', 'finished', 0],
    ['a status of the future', 'idle', 'finished', 1],
  ])('%s: is %s, and a run ends as %s', async (status, shown, end, iterations) => {
    const conversation = await opened(status);
    expect(conversation.status).toBe(shown);
    expect(await conversation.run()).toMatchObject({ status: end, iterations });
    await conversation.send('More.');
    expect(conversation.status).toBe('idle');
  });
});

test('the hook before the end is called again if the process died after the first time', async () => {
  let asked = 0;
  const hooks = {
    beforeStop: () => {
      asked++;
      if (asked === 1) throw new Error('the tests did not start');
      return asked === 2 ? { veto: 'A test fails.' } : undefined;
    },
  };
  const llm = scriptedLLM({ script: ['Done.', 'Now it is.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm, hooks }) });
  await conversation.send('Go.');
  await expect(conversation.run()).rejects.toThrow('did not start');
  expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Now it is.' });
  expect(asked).toBe(3);
  expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Now it is.', iterations: 0 });
});
