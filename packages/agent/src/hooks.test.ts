import { defineTool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import { Conversation } from './conversation/conversation.js';
import type { Hooks } from './hooks.js';

const rolling: Condenser = {
  name: 'rolling',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.events.length > 6 || view.unhandledCondensationRequest
      ? condensation({ view, start: 1, end: view.events.length - 2, summary: 'S' })
      : view,
};

async function run(script: Script, hooks: Hooks, condenser?: Condenser) {
  const ran: string[] = [];
  const touch = defineTool({
    name: 'touch',
    description: '',
    input: z.object({ path: z.string() }),
    execute: ({ path }) => {
      ran.push(path);
      if (path === 'broken') throw new Error('broken');
      return `touched ${path}`;
    },
  });
  const llm = scriptedLLM({ script });
  const agent = new Agent({ llm, tools: [touch], hooks, condenser });
  const conversation = await Conversation.open({ agent, limits: { maxIterations: 12 } });
  await conversation.send('Touch them.');
  const outcome = await conversation.run();
  return { ran, llm, outcome, events: [...conversation.events] };
}

const touching = (...paths: string[]) => ({ toolCalls: paths.map((path) => ({ name: 'touch', arguments: { path } })) });

describe('before a tool runs', () => {
  test('a veto: the tool does not run, and the model reads why', async () => {
    const { ran, llm, events } = await run([touching('a', 'secret', 'b'), 'Done.'], {
      beforeToolUse: (action) => (action.toolCall.arguments.includes('secret') ? { veto: 'not that one' } : undefined),
    });
    expect(ran).toEqual(['a', 'b']);
    expect(events.find(({ type }) => type === 'user-reject-observation')).toMatchObject({
      rejectionReason: 'not that one',
      rejectionSource: 'hook',
    });
    expect(messageViolations(llm.requests.at(-1)?.messages ?? [])).toEqual([]);
  });

  test('a hook that throws vetoes the call', async () => {
    const { ran, events } = await run([touching('a'), 'Done.'], {
      beforeToolUse: () => {
        throw new Error('policy server down');
      },
    });
    expect(ran).toEqual([]);
    expect(JSON.stringify(events)).toContain('policy server down');
  });

  test('notes of both hooks are added to the result, also to a failure', async () => {
    const { llm } = await run([touching('a', 'broken'), 'Done.'], {
      beforeToolUse: () => ({ note: 'checked' }),
      afterToolUse: (_, result) => ({ note: `seen ${result.type}` }),
    });
    const texts = (llm.requests.at(-1)?.messages ?? [])
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
    expect(texts).toEqual(['touched a\nchecked\nseen observation', 'broken\nchecked\nseen agent-error']);
  });
});

describe('before the run stops', () => {
  test('a veto goes to the model, and the run goes on', async () => {
    let asked = 0;
    const { outcome, llm } = await run(['Done.', 'Now it is done.'], {
      beforeStop: () => (++asked === 1 ? { veto: 'The tests have not been run.' } : undefined),
    });
    expect(outcome).toMatchObject({ status: 'finished', answer: 'Now it is done.', iterations: 2 });
    expect(llm.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ text: 'The tests have not been run.' }],
    });
  });

  test('a hook that throws ends the run with its error', async () => {
    const failing = run(['Done.'], { beforeStop: () => Promise.reject(new Error('no checker')) });
    await expect(failing).rejects.toThrow(/no checker/);
  });
});

describe('around a condensation', () => {
  const paths = ['a', 'b', 'c', 'd', 'e'];
  const script: Script = (_, index) => (paths[index] === undefined ? 'Done.' : touching(paths[index]));

  test('a veto: it is not appended, and an attempt records the veto', async () => {
    const { events, outcome } = await run(script, { beforeCondensation: () => ({ veto: 'not now' }) }, rolling);
    expect(outcome).toMatchObject({ status: 'finished', condensations: 0 });
    expect(events.some(({ type }) => type === 'condensation')).toBe(false);
    expect(events.find(({ type }) => type === 'condensation-attempt')).toMatchObject({
      condenser: 'rolling',
      outcome: 'vetoed',
      reason: 'not now',
    });
  });

  test('the model reads the note of the hook after it', async () => {
    const { llm, outcome } = await run(script, { afterCondensation: () => ({ note: 'Rules: be careful.' }) }, rolling);
    expect(outcome.condensations).toBeGreaterThan(0);
    const after = llm.requests.find(({ messages }) => JSON.stringify(messages).includes('Rules: be careful.'));
    expect(after?.messages.at(-1)).toMatchObject({ role: 'user' });
    for (const { messages } of llm.requests) expect(messageViolations(messages)).toEqual([]);
  });

  test('a vetoed request is answered, so that it is not acted on at every step', async () => {
    const agent = new Agent({
      llm: scriptedLLM({ script: ['Done.'] }),
      condenser: rolling,
      hooks: { beforeCondensation: () => ({ veto: 'no' }) },
    });
    const conversation = await Conversation.open({ agent });
    await conversation.send('Go.');
    await conversation.send('On.');
    await conversation.condense();
    expect(conversation.view.unhandledCondensationRequest).toBe(false);
  });
});

describe('a hook that misbehaves', () => {
  const started = async (script: Script, hooks: (stop: () => void) => Hooks) => {
    const running: { conversation?: Conversation } = {};
    const touch = defineTool({ name: 'touch', description: '', input: z.object({}), execute: () => 'touched' });
    const agent = new Agent({
      llm: scriptedLLM({ script }),
      tools: [touch],
      hooks: hooks(() => running.conversation?.interrupt()),
    });
    const conversation = await Conversation.open({ agent });
    running.conversation = conversation;
    await conversation.send('Touch it.');
    return conversation;
  };
  const calls: Script = [{ toolCalls: [{ name: 'touch' }, { name: 'touch' }] }, 'Done.'];
  const never = () => new Promise<never>(() => undefined);
  const results = ({ events }: Conversation) =>
    [...events].filter(({ type }) => ['observation', 'agent-error', 'user-reject-observation'].includes(type));

  test('afterToolUse throws: what the tool did is in the log, and the run ends with the error', async () => {
    const conversation = await started(calls, () => ({
      afterToolUse: () => {
        throw new Error('the linter crashed');
      },
    }));
    await expect(conversation.run()).rejects.toThrow(/linter crashed/);
    expect(results(conversation)).toMatchObject([{ type: 'observation', content: [{ text: 'touched' }] }]);
    await expect(conversation.run()).resolves.toMatchObject({ status: 'finished' });
    expect(results(conversation)).toMatchObject([{ type: 'observation' }, { type: 'agent-error' }]);
  });

  test.each(['beforeToolUse', 'afterToolUse'] as const)('%s never answers: an interrupt ends the run', async (name) => {
    const conversation = await started(calls, (stop) => ({ [name]: () => (setImmediate(stop), never()) }));
    expect(await conversation.run()).toMatchObject({ status: 'paused' });
    const [first, second] = results(conversation);
    expect(first?.type).toBe(name === 'beforeToolUse' ? 'agent-error' : 'observation');
    expect(second).toMatchObject({ type: 'agent-error' });
  });

  test('beforeStop never answers: an interrupt ends the run, and the answer stands', async () => {
    const conversation = await started(['Done.'], (stop) => ({ beforeStop: () => (setImmediate(stop), never()) }));
    expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
  });

  test('beforeToolUse interrupts the run: the tool does not begin', async () => {
    const conversation = await started(calls, (stop) => ({ beforeToolUse: () => void stop() }));
    expect(await conversation.run()).toMatchObject({ status: 'paused' });
    expect(results(conversation)).toMatchObject([{ type: 'agent-error' }, { type: 'agent-error' }]);
  });

  test.each([false, 'no', 7])('beforeToolUse answers with no verdict (%o): that allows nothing', async (verdict) => {
    const conversation = await started(calls, () => ({ beforeToolUse: () => verdict as never }));
    await conversation.run();
    expect(results(conversation)).toMatchObject([{ rejectionSource: 'hook' }, { rejectionSource: 'hook' }]);
  });

  test('a veto without a reason is a veto', async () => {
    const conversation = await started(calls, () => ({ beforeToolUse: () => ({ veto: undefined as never }) }));
    await conversation.run();
    expect(results(conversation)).toMatchObject(Array(2).fill({ rejectionReason: 'No reason was given.' }));
  });
});
