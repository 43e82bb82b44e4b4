import { createEvent, defineTool, estimateTextTokens, userMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser, CondenseContext } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { ConversationStateProjection } from '../state.js';
import { Conversation } from '../conversation/conversation.js';
import type { Hooks } from '../hooks.js';

const echo = defineTool({
  name: 'echo',
  description: '',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const echoing = (text: string) => ({ toolCalls: [{ name: 'echo', arguments: { text } }] });
const ofType = (events: Iterable<Event>, type: string) => [...events].filter((event) => event.type === type);
const overflow = () => new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input' });

/** Works until the history has more messages than fit, and is done when room was made. */
const untilFull =
  (most: number): Script =>
  ({ messages }, index) => {
    if (messages.length > most) return overflow();
    return JSON.stringify(messages).includes('were dropped') ? 'Done.' : echoing(`${index}`);
  };

async function runWith(condenser: Condenser, hooks: Hooks = {}) {
  const agent = new Agent({ llm: scriptedLLM({ script: untilFull(9) }), tools: [echo], condenser, hooks });
  // Only the agent itself may end a loop here.
  const conversation = await Conversation.open({ agent, stuckDetection: false, limits: { maxIterations: 50 } });
  await conversation.send('Go.');
  return conversation;
}

describe('a condenser that fails', () => {
  const broken: Record<string, Condenser['condense']> = {
    'throws what no contract knows': () => {
      throw new TypeError('cannot read properties of undefined');
    },
    'rejects with nothing': () => Promise.reject(new Error('')),
    'returns nothing': () => undefined as never,
    'does nothing on a request': (view) => view,
    'forgets what is not there': (view) =>
      view.unhandledCondensationRequest ? createEvent('condensation', { forgottenEventIds: ['nobody'] }) : view,
  };

  test.each(Object.entries(broken))('%s: the agent itself makes room, and the run goes on', async (_, condense) => {
    const conversation = await runWith({ name: 'broken', handlesCondensationRequests: true, condense });
    expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
    expect(ofType(conversation.events, 'condensation').at(-1)).toMatchObject({ metadata: { reason: 'hard-reset' } });
  });

  test('it never answers: an interrupt ends the run, and it is asked again by the next one', async () => {
    let asked = 0;
    const conversation = await runWith({
      name: 'deaf',
      condense: () => {
        asked++;
        conversation.interrupt();
        return new Promise(() => undefined);
      },
    });
    expect(await conversation.run()).toMatchObject({ status: 'paused', iterations: 0 });
    expect(await conversation.run()).toMatchObject({ status: 'paused' });
    expect(asked).toBe(2);
  });
});

test('a condenser that hangs does not hang a run: it is given up, reported, and held back', async () => {
  let asked = 0;
  const condenser: Condenser = {
    name: 'hangs',
    condense: () => {
      asked++;
      return new Promise(() => undefined);
    },
  };
  const llm = scriptedLLM({ script: (_, index) => (index < 6 ? echoing(`${index}`) : 'Done.') });
  const agent = new Agent({ llm, tools: [echo], condenser, condenserTimeoutMs: 1 });
  const conversation = await Conversation.open({ agent });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
  expect(asked).toBeLessThan(4);
  const attempts = ofType(conversation.events, 'condensation-attempt');
  expect(attempts).toHaveLength(asked);
  expect(attempts[0]).toMatchObject({ condenser: 'hangs', outcome: 'timed-out' });
});

test('a hook that vetoes every condensation, the last resort too, ends the run with a typed error', async () => {
  const rolling: Condenser = {
    name: 'rolling',
    handlesCondensationRequests: true,
    condense: (view) =>
      view.unhandledCondensationRequest
        ? condensation({ view, start: 1, end: view.events.length - 2, metadata: { costUsd: 0.5 } })
        : view,
  };
  const conversation = await runWith(rolling, { beforeCondensation: () => ({ veto: '' }) });
  await expect(conversation.run()).rejects.toMatchObject({ cause: { code: 'context-overflow' } });
  const attempts = ofType(conversation.events, 'condensation-attempt');
  expect(attempts).toMatchObject([
    { condenser: 'rolling', outcome: 'vetoed', data: { costUsd: 0.5 } },
    { condenser: 'agent', outcome: 'vetoed' },
  ]);
});

describe('the window that a condenser is told', () => {
  async function contextOf(log: readonly Event[], facts: { readonly maxInputTokens?: number } = {}) {
    const seen: CondenseContext[] = [];
    const condenser: Condenser = { name: 'curious', condense: (view, context) => (seen.push(context), view) };
    const llm = scriptedLLM({ script: ['Hi.'], contextWindow: 1_000 });
    const agent = new Agent({
      llm: { ...llm, model: llm.model, complete: (request) => llm.complete(request), ...factsOf(facts) },
      tools: [echo],
      condenser,
      maxOutputTokens: 100,
    });
    const emitted: Event[] = [];
    const state = ConversationStateProjection.fromEvents(log);
    await agent.step(state, { onEvent: (event) => void emitted.push(event) });
    return { context: seen[0], usage: emitted.find(({ type }) => type === 'llm-usage'), state, agent };
  }
  const factsOf = (facts: object) => (Object.keys(facts).length === 0 ? {} : { facts: facts as never });

  test('tools that the view has counted with its system prompt are not counted once more', async () => {
    const tools = [{ name: echo.name, description: echo.description, inputSchema: echo.inputSchema }];
    const prompt = createEvent('system-prompt', { systemPrompt: 'Echo.', tools });
    const { context, usage, state } = await contextOf([prompt, userMessage('Go.')]);
    expect(context).toMatchObject({ contextWindow: 1_000, maxOutputTokens: 100 });
    expect(context?.fixedTokens).toBeUndefined();
    expect(state.view.tokens()).toBeGreaterThan(JSON.stringify(tools).length / 4);
    expect(usage).toMatchObject({ estimatedInputTokens: state.view.tokens() });
  });

  test('tools that are only in the request are', async () => {
    const { context, agent } = await contextOf([userMessage('Go.')]);
    expect(context?.fixedTokens).toBe(Math.ceil(estimateTextTokens(JSON.stringify(agent.toolDefinitions))));
  });

  test('a model that reads less than its window holds', async () => {
    expect((await contextOf([userMessage('Go.')], { maxInputTokens: 600 })).context?.contextWindow).toBe(700);
    expect((await contextOf([userMessage('Go.')], { maxInputTokens: 990 })).context?.contextWindow).toBe(1_000);
  });
});
