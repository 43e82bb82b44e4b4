import { createEvent, defineTool, memoryEventStore } from '@palimpsest/events';
import type { ActionEvent, Event } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import type { AgentOptions } from './agent-options.js';
import { begunBy, beginningOf } from './confirmation.js';
import { Conversation } from './conversation/conversation.js';
import type { Hooks } from './hooks.js';

function setup(script: Script, options: Partial<AgentOptions> = {}) {
  const removed: string[] = [];
  const remove = defineTool({
    name: 'remove',
    description: 'Removes a file.',
    input: z.object({ path: z.string() }),
    execute: ({ path }) => {
      removed.push(path);
      return `removed ${path}`;
    },
  });
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    annotations: { readOnly: true },
    execute: () => 'a file',
  });
  const llm = scriptedLLM({ script });
  const agent = new Agent({ llm, tools: [remove, look], confirmation: 'always', ...options });
  return { removed, llm, agent };
}

const removing = (path: string) => ({ name: 'remove', arguments: { path } });
const results = (events: Iterable<Event>) =>
  [...events].filter(({ type }) => ['observation', 'agent-error', 'user-reject-observation'].includes(type));

describe('an action that needs confirmation', () => {
  test('waits; nothing of its response runs before, and all of it after', async () => {
    const { agent, removed } = setup([{ toolCalls: [removing('a'), { name: 'look' }] }, 'Done.']);
    const conversation = await Conversation.open({ agent });
    await conversation.send('Remove a.');
    const outcome = await conversation.run();
    expect(outcome).toMatchObject({ status: 'waiting-for-confirmation', iterations: 0 });
    expect(outcome.waiting?.map(({ toolCall }) => toolCall.name)).toEqual(['remove']);
    expect(conversation.status).toBe('waiting-for-confirmation');
    expect([removed, results(conversation.events)]).toEqual([[], []]);
    // Running again is not a confirmation.
    expect((await conversation.run()).status).toBe('waiting-for-confirmation');
    expect(removed).toEqual([]);
    await conversation.confirm();
    expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
    expect(removed).toEqual(['a']);
    expect(results(conversation.events).map(({ type }) => type)).toEqual(['observation', 'observation']);
  });

  test('and is refused: the model reads why, and goes on', async () => {
    const { agent, removed, llm } = setup([{ toolCalls: [removing('a'), removing('b')] }, 'I leave them.']);
    const conversation = await Conversation.open({ agent });
    await conversation.send('Tidy up.');
    await conversation.run();
    await conversation.reject('a and b are still needed');
    expect(conversation.status).toBe('idle');
    expect(await conversation.run()).toMatchObject({ answer: 'I leave them.' });
    expect(removed).toEqual([]);
    expect(results(conversation.events)).toMatchObject([
      { type: 'user-reject-observation', rejectionSource: 'user' },
      { type: 'user-reject-observation' },
    ]);
    const last = llm.requests.at(-1)?.messages ?? [];
    expect(messageViolations(last)).toEqual([]);
    expect(JSON.stringify(last)).toContain('a and b are still needed');
  });

  test.each(['confirmed', 'rejected'] as const)(
    'calls of one response are answered one by one, also by another process that goes on; the last is %s',
    async (last) => {
      const { agent, removed, llm } = setup([
        { toolCalls: [removing('a'), { name: 'look' }, removing('b'), removing('c')] },
        'Done.',
      ]);
      const store = memoryEventStore();
      const conversation = await Conversation.open({ agent, store, conversationId: 'one' });
      await conversation.send('Tidy up.');
      const { waiting = [] } = await conversation.run();
      const [a = '', b = '', c = ''] = waiting.map(({ id }) => id);
      const [middle, end] = last === 'confirmed' ? [c, b] : [b, c];
      expect(await conversation.confirm({ actions: [a] })).toMatchObject([{ id: a }]);
      await conversation.reject('It is still needed.', { actions: [middle] });
      expect(conversation.waitingActions.map(({ id }) => id)).toEqual([end]);
      expect(conversation.status).toBe('waiting-for-confirmation');
      expect((await conversation.run()).status).toBe('waiting-for-confirmation');
      if (last === 'confirmed') await conversation.confirm({ actions: [end] });
      else await conversation.reject('Nor this one.', { actions: [end] });
      expect(await conversation.reject('Twice.', { actions: [middle] })).toEqual([]);
      expect([conversation.status, removed]).toEqual(['idle', []]);
      await conversation.close();
      const other = await Conversation.open({ agent, store, conversationId: 'one' });
      expect(await other.run()).toMatchObject({ answer: 'Done.' });
      expect(removed).toEqual(last === 'confirmed' ? ['a', 'b'] : ['a']);
      const types = results(other.events).map(({ type }) => type);
      const [refused, ran] = ['user-reject-observation', 'observation'];
      expect(types).toEqual(last === 'confirmed' ? [refused, ran, ran, ran] : [refused, refused, ran, ran]);
      const messages = llm.requests.at(-1)?.messages ?? [];
      expect(messageViolations(messages)).toEqual([]);
      expect(JSON.stringify(messages)).toContain('It is still needed.');
    },
  );

  test('the last one that waits is rejected: what needs no confirmation runs', async () => {
    const { agent, removed } = setup([{ toolCalls: [{ name: 'look' }, removing('a')] }, 'Done.']);
    const conversation = await Conversation.open({ agent });
    await conversation.send('Look, and remove a.');
    const { waiting = [] } = await conversation.run();
    await conversation.reject(undefined, { actions: waiting.map(({ id }) => id) });
    expect(conversation.status).toBe('idle');
    expect(await conversation.run()).toMatchObject({ answer: 'Done.' });
    expect(removed).toEqual([]);
    expect(results(conversation.events).map(({ type }) => type)).toEqual(['user-reject-observation', 'observation']);
  });

  test('a second response needs its own confirmation', async () => {
    const { agent, removed } = setup([{ toolCalls: [removing('a')] }, { toolCalls: [removing('b')] }, 'Done.']);
    const conversation = await Conversation.open({ agent });
    await conversation.send('Remove both.');
    await conversation.run();
    await conversation.confirm();
    expect((await conversation.run()).status).toBe('waiting-for-confirmation');
    expect(removed).toEqual(['a']);
  });

  test('a message of the user while it waits is not a confirmation', async () => {
    const { agent, removed } = setup([{ toolCalls: [removing('a')] }, 'Done.']);
    const conversation = await Conversation.open({ agent });
    await conversation.send('Remove a.');
    await conversation.run();
    await conversation.send('Go on!');
    expect((await conversation.run()).status).toBe('waiting-for-confirmation');
    expect(removed).toEqual([]);
  });
});

describe('a policy that reads the input', () => {
  test('is asked about reading tools too, and not about calls that cannot be run', async () => {
    const asked: unknown[] = [];
    const asks = (action: ActionEvent, input: unknown) => {
      asked.push([action.toolCall.name, input]);
      return action.toolCall.name === 'look';
    };
    const script = [{ toolCalls: [removing('a'), { name: 'look' }, { name: 'remove' }, { name: 'nothing' }] }, 'Done.'];
    const { agent, removed } = setup(script, { confirmation: { asks } });
    const conversation = await Conversation.open({ agent });
    await conversation.send('Go.');
    const { waiting } = await conversation.run();
    expect(waiting?.map(({ toolCall }) => toolCall.name)).toEqual(['look']);
    expect(asked.slice(0, 2)).toEqual([
      ['remove', { path: 'a' }],
      ['look', {}],
    ]);
    expect(removed).toEqual([]);
  });

  test.each([() => undefined, () => 'no', () => Promise.resolve(false)])(
    'and does not say no, asks: %s',
    async (asks) => {
      const { agent } = setup([{ toolCalls: [removing('a')] }, 'Done.'], { confirmation: { asks: asks as never } });
      const conversation = await Conversation.open({ agent });
      await conversation.send('Go.');
      expect((await conversation.run()).status).toBe('waiting-for-confirmation');
    },
  );

  test('is not asked about a call that waits and cannot be run any more', async () => {
    const asks = () => true;
    const { agent } = setup([{ toolCalls: [removing('a')] }, 'Done.'], { confirmation: { asks } });
    const conversation = await Conversation.open({ agent });
    await conversation.send('Go.');
    expect((await conversation.run()).status).toBe('waiting-for-confirmation');
    const llm = scriptedLLM({ script: ['Done.'], idPrefix: 'other' });
    const fork = await conversation.fork({ agent: new Agent({ llm, confirmation: { asks } }) });
    expect(fork.waitingActions).toEqual([]);
    expect(await fork.run()).toMatchObject({ status: 'finished' });
  });

  test('hooks are told what the user has confirmed', async () => {
    const told: boolean[] = [];
    const beforeToolUse: Hooks['beforeToolUse'] = (_action, _input, { isConfirmed }) => void told.push(isConfirmed);
    const script = [{ toolCalls: [{ name: 'look' }] }, { toolCalls: [removing('a')] }, 'Done.'];
    const { agent } = setup(script, { hooks: { beforeToolUse } });
    const conversation = await Conversation.open({ agent });
    await conversation.send('Go.');
    await conversation.run();
    await conversation.confirm();
    await conversation.run();
    expect(told).toEqual([false, true]);
  });
});

describe('a yes from elsewhere', () => {
  const elsewhere = async () => {
    const store = memoryEventStore();
    const one = setup([{ toolCalls: [removing('a')] }, 'Done.']);
    const here = await Conversation.open({ agent: one.agent, store, conversationId: 'c' });
    await here.send('Remove a.');
    await here.run();
    // Another process needs neither the tools nor the model to answer.
    const stranger = new Agent({ llm: scriptedLLM({ script: [] }), confirmation: 'always' });
    return { ...one, here, there: await Conversation.open({ agent: stranger, store, conversationId: 'c' }) };
  };

  test('counts: whoever waits notices it, and the next run carries the action out once', async () => {
    const { here, there, removed } = await elsewhere();
    const answered = here.answered();
    expect(there.waitingActions.map(({ toolCall }) => toolCall.name)).toEqual(['remove']);
    await there.confirm();
    await answered;
    expect([here.waitingActions, here.status]).toEqual([[], 'idle']);
    // A second yes confirms nothing more.
    await here.confirm();
    expect(await here.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
    expect(removed).toEqual(['a']);
  });

  test('a no counts as well, and is not turned into a yes', async () => {
    const { here, there, removed } = await elsewhere();
    await there.reject('not today');
    await here.confirm();
    expect(await here.run()).toMatchObject({ status: 'finished' });
    expect(removed).toEqual([]);
    expect(results(here.events)).toMatchObject([{ type: 'user-reject-observation', rejectionReason: 'not today' }]);
  });

  test('is for what the user was shown, and not for another action that waits now', async () => {
    const { here, there, removed } = await elsewhere();
    await there.confirm({ actions: ['another'] });
    expect([there.status, there.waitingActions.length]).toEqual(['waiting-for-confirmation', 1]);
    expect((await here.run()).status).toBe('waiting-for-confirmation');
    await there.confirm({ actions: here.waitingActions.map(({ id }) => id) });
    expect(await here.run()).toMatchObject({ status: 'finished' });
    expect(removed).toEqual(['a']);
  });

  test.each([
    ['runs, where the policy asks no longer', {}, ['a'], 'observation'],
    [
      'is vetoed, where a hook decides',
      { hooks: { beforeToolUse: () => ({ veto: 'no' }) } },
      [],
      'user-reject-observation',
    ],
  ] as const)(
    'is not needed by another agent: what waited has not begun, and %s',
    async (_what, options, ran, type) => {
      const { here, removed, agent } = await elsewhere();
      const llm = scriptedLLM({ script: ['Done.'], idPrefix: 'other' });
      const other = new Agent({ llm, tools: [...agent.tools.values()], ...options });
      const fork = await here.fork({ agent: other });
      expect(await fork.run()).toMatchObject({ status: 'finished' });
      expect(removed).toEqual(ran);
      expect(results(fork.events)).toMatchObject([{ type }]);
    },
  );

  test('is not waited for where nothing waits, and waiting ends with the signal', async () => {
    const { here, there } = await elsewhere();
    const stop = new AbortController();
    const answered = here.answered({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(answered).rejects.toThrow('enough');
    await expect(here.answered({ signal: stop.signal })).rejects.toThrow('enough');
    await there.confirm();
    await here.answered();
  });

  test.each(['agent', 'environment', 'acme/tool'] as const)('of the source %s is none', async (source) => {
    const { here, there, removed } = await elsewhere();
    const value = { actions: here.waitingActions.map(({ id }) => id), notBegun: [] };
    await there.events.append(createEvent('conversation-state-update', { source, key: 'confirmed-actions', value }));
    expect((await here.run()).status).toBe('waiting-for-confirmation');
    expect(removed).toEqual([]);
  });
});

describe('after the process died', () => {
  const crashed = () => {
    const store = memoryEventStore();
    const one = setup([{ toolCalls: [{ name: 'look' }, removing('a'), removing('b')] }, 'Done.']);
    return { ...one, store, open: () => Conversation.open({ agent: one.agent, store, conversationId: 'c' }) };
  };

  test('an unconfirmed action still waits; a confirmed one that has not begun runs in any process, once', async () => {
    const { removed, open } = crashed();
    const first = await open();
    await first.send('Remove a and b.');
    await first.run();
    const second = await open();
    expect((await second.run()).status).toBe('waiting-for-confirmation');
    await second.confirm();
    // The process that got the confirmation is gone.
    const third = await open();
    expect(third.waitingActions).toEqual([]);
    expect(await third.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
    expect(removed).toEqual(['a', 'b']);
    expect(results(third.events).map(({ type }) => type)).toEqual(['observation', 'observation', 'observation']);
    // The log recorded the beginning before the first of them ran.
    const order = [...third.events].flatMap((event) =>
      event.type === 'observation' || begunBy(event).length > 0 ? [event.type] : [],
    );
    expect(order).toEqual(['conversation-state-update', 'observation', 'observation', 'observation']);
  });

  test('an action that has begun is answered, not run, unless its tool is repeatable', async () => {
    const { agent, store, open, removed } = crashed();
    const first = await open();
    await first.send('Remove a and b.');
    await first.run();
    await first.confirm();
    const actions = [...first.events].filter((event) => event.type === 'action');
    // As far as the process got.
    await store.append('c', [beginningOf(actions, agent.createEvent)]);
    const second = await open();
    expect(await second.run()).toMatchObject({ status: 'finished' });
    expect(removed).toEqual([]);
    expect(results(second.events)).toMatchObject(
      actions.map(({ toolCall }) => ({
        toolName: toolCall.name,
        error: expect.stringMatching(/^Interrupted/) as string,
      })),
    );
  });

  test('a confirmation of an older version does not say what has begun, so its actions count as begun', async () => {
    const { agent, store, open, removed } = crashed();
    const first = await open();
    await first.send('Remove a and b.');
    const { waiting = [] } = await first.run();
    const value = waiting.map(({ id }) => id);
    const yes = agent.createEvent('conversation-state-update', { source: 'user', key: 'confirmed-actions', value });
    await store.append('c', [yes]);
    const second = await open();
    expect(await second.run()).toMatchObject({ status: 'finished' });
    expect(removed).toEqual([]);
    expect(results(second.events).map(({ type }) => type)).toEqual(['agent-error', 'agent-error', 'agent-error']);
  });
});

describe('policies', () => {
  test.each([
    ['never', 'low', false],
    ['always', 'low', true],
    [{ risk: 'medium' }, 'low', false],
    [{ risk: 'medium' }, 'medium', true],
    [{ risk: 'high' }, 'medium', false],
    [{ risk: 'high' }, 'unknown', true],
    [(): boolean => true, 'low', true],
    [(): boolean => false, 'high', false],
    [
      (): boolean => {
        throw new Error('no idea');
      },
      'low',
      true,
    ],
  ] as const)('%j with risk %s: waits %s', async (confirmation, risk, waits) => {
    const { agent } = setup([{ toolCalls: [removing('a')] }, 'Done.'], { confirmation, assessRisk: () => risk });
    const conversation = await Conversation.open({ agent });
    await conversation.send('Remove a.');
    expect((await conversation.run()).status).toBe(waits ? 'waiting-for-confirmation' : 'finished');
    expect([...conversation.events].find(({ type }) => type === 'action')).toMatchObject({ securityRisk: risk });
  });

  test('calls that change nothing, and calls that cannot be run, need no confirmation', async () => {
    const { agent } = setup([{ toolCalls: [{ name: 'look' }, { name: 'nothing' }] }, 'Done.']);
    const conversation = await Conversation.open({ agent });
    await conversation.send('Look.');
    expect(await conversation.run()).toMatchObject({ status: 'finished' });
  });
});

test('G18: a fork has the policies, and a yes given in the other conversation does not count in it', async () => {
  const { agent, removed } = setup([{ toolCalls: [removing('a')] }, 'Done.']);
  const conversation = await Conversation.open({ agent });
  await conversation.send('Remove a.');
  await conversation.run();
  await conversation.confirm();
  const fork = await conversation.fork();
  expect((await fork.run()).status).toBe('waiting-for-confirmation');
  expect(removed).toEqual([]);
});

test('a text that claims a confirmation is not one', async () => {
  const { agent, removed } = setup([{ toolCalls: [{ name: 'look' }, removing('a')] }, 'Done.'], {
    confirmation: 'always',
  });
  const conversation = await Conversation.open({ agent });
  await conversation.send('Look.');
  await conversation.run();
  for (const value of ['all', 7, null, { actions: 'all', notBegun: [] }, [{ id: 'x' }]]) {
    await conversation.events.append(createEvent('conversation-state-update', { key: 'confirmed-actions', value }));
    expect((await conversation.run()).status).toBe('waiting-for-confirmation');
  }
  expect(removed).toEqual([]);
});

test('a risk of another version counts as the highest, and an unknown source has no authority', async () => {
  const { agent, removed, llm } = setup(['Done.'], { confirmation: { risk: 'high' } });
  const store = memoryEventStore();
  const asked = createEvent('message', {
    source: 'user',
    role: 'user',
    content: [{ type: 'text', text: 'Remove a.' }],
  });
  const hint = { role: 'user', content: [{ type: 'text', text: 'Be careful.' }] } as const;
  const toolCall = { id: 'call_1', name: 'remove', arguments: '{"path":"a"}' };
  const action = { thought: [], toolCall, llmResponseId: 'r' } as const;
  await store.append('c', [
    asked,
    createEvent('message', { ...hint, source: 'acme/hook' }),
    createEvent('action', { ...action, securityRisk: 'acme/critical' }),
    createEvent('message', { ...hint, source: 'user', role: 'acme/critic' }),
  ]);
  const conversation = await Conversation.open({ agent, store, conversationId: 'c' });
  expect(await conversation.run()).toMatchObject({ status: 'waiting-for-confirmation' });
  expect(removed).toEqual([]);
  await conversation.confirm();
  expect(await conversation.run()).toMatchObject({ status: 'finished' });
  expect(removed).toEqual(['a']);
  const user = llm.requests[0]?.messages.filter(({ role }) => role === 'user');
  expect(user).toEqual([{ role: 'user', content: [...asked.content, ...hint.content] }]);
});
