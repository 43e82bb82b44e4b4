import { createEvent, defineTool, memoryEventStore, userMessage } from '@palimpsest/events';
import type { EventStore } from '@palimpsest/events';
import { ContextWindowExceededError, modelFacts, ServiceUnavailableError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation, NoCondensationAvailableError, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from './conversation.js';
import {
  CondensationNotSupportedError,
  ConversationRunError,
  LimitExceededError,
  NoUserMessageError,
} from '../errors.js';
import { finishTool } from '../tool-calls/built-in-tools.js';

const count = defineTool({
  name: 'count',
  description: 'Counts.',
  input: z.object({ to: z.number() }),
  execute: ({ to }) => Array.from({ length: to }, (_, index) => index + 1).join(' '),
});

const callCount = (to: number) => ({ toolCalls: [{ name: 'count', arguments: { to } }] });
const typesIn = (conversation: Conversation) => [...conversation.events].map(({ type }) => type);

/** Forgets all but the last four events when there are more than eight. */
const rolling: Condenser = {
  name: 'rolling',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.events.length > 8 || view.unhandledCondensationRequest
      ? condensation({ view, start: 1, end: view.events.length - 4, summary: 'Counted.' })
      : view,
};

test('a conversation: send, run, answer', async () => {
  const llm = scriptedLLM({ script: [callCount(3), 'One, two, three.'] });
  const agent = new Agent({ llm, systemPrompt: 'You count.', tools: [count] });
  const conversation = await Conversation.open({ agent });
  expect(conversation.status).toBe('idle');
  await conversation.send('Count to three.');
  expect(await conversation.run()).toEqual({
    status: 'finished',
    answer: 'One, two, three.',
    iterations: 2,
    condensations: 0,
  });
  expect(conversation.status).toBe('finished');
  expect(typesIn(conversation)).toEqual([
    'system-prompt',
    'message',
    'conversation-state-update',
    'llm-usage',
    'action',
    'observation',
    'llm-usage',
    'message',
    'conversation-state-update',
  ]);
  expect(llm.requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
});

test('a long run: condensations do not count as iterations, and the kept view equals a rebuilt one', async () => {
  const llm = scriptedLLM({ script: [...Array.from({ length: 20 }, (_, index) => callCount(index)), 'Enough.'] });
  const conversation = await Conversation.open({
    agent: new Agent({ llm, tools: [count], condenser: rolling }),
    limits: { maxIterations: 21 },
  });
  await conversation.send('Count and count.');
  const outcome = await conversation.run();
  expect(outcome).toMatchObject({ status: 'finished', iterations: 21 });
  expect(outcome.condensations).toBeGreaterThanOrEqual(3);
  expect(conversation.view.toMessages()).toEqual(View.fromEvents(conversation.events).toMessages());
  expect(conversation.view.events.length).toBeLessThan(12);
});

describe('a run that ends early', () => {
  test('at its limit of iterations: a typed error, and a later run goes on', async () => {
    const llm = scriptedLLM({ script: [callCount(1), callCount(2), callCount(3), 'Done.'] });
    const conversation = await Conversation.open({
      agent: new Agent({ llm, tools: [count] }),
      limits: { maxIterations: 2 },
    });
    await conversation.send('Count.');
    const failed = await conversation.run().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ConversationRunError);
    expect((failed as Error).cause).toBeInstanceOf(LimitExceededError);
    expect(conversation.status).toBe('error');
    expect([...conversation.events].at(-2)).toMatchObject({ type: 'conversation-error', code: 'limit-exceeded' });
    expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
  });

  test('because the provider failed: the error stands in the log, and the next run repeats the call', async () => {
    const down = new ServiceUnavailableError('no answer', { provider: 'scripted' });
    const conversation = await Conversation.open({
      agent: new Agent({ llm: scriptedLLM({ script: [down, 'Back.'] }) }),
    });
    await conversation.send('Hello?');
    await expect(conversation.run()).rejects.toMatchObject({
      code: 'conversation-run',
      conversationId: conversation.id,
      cause: down,
    });
    expect(await conversation.run()).toMatchObject({ answer: 'Back.' });
  });

  test('because the log cannot be written: the caller learns why', async () => {
    let full = false;
    const { openForWriting: _, ...memory } = memoryEventStore();
    const store: EventStore = {
      ...memory,
      append: (...parameters) => (full ? Promise.reject(new Error('the disk is full')) : memory.append(...parameters)),
    };
    const script = () => {
      full = true;
      return 'Hi.';
    };
    const conversation = await Conversation.open({ agent: new Agent({ llm: scriptedLLM({ script }) }), store });
    await conversation.send('Hello?');
    await expect(conversation.run()).rejects.toThrow(/the disk is full/);
    expect(conversation.status).toBe('error');
  });

  test('because the user has not sent a message', async () => {
    const conversation = await Conversation.open({ agent: new Agent({ llm: scriptedLLM({ script: [] }) }) });
    const failed = await conversation.run().catch((error: unknown) => error);
    expect((failed as Error).cause).toBeInstanceOf(NoUserMessageError);
  });

  test('by pause: after the present step, and it can go on', async () => {
    const script = (_request: unknown, index: number) => {
      if (index === 0) conversation.pause();
      return index < 2 ? callCount(index) : 'Done.';
    };
    const conversation = await Conversation.open({
      agent: new Agent({ llm: scriptedLLM({ script }), tools: [count] }),
    });
    await conversation.send('Count.');
    expect(await conversation.run()).toEqual({ status: 'paused', iterations: 1, condensations: 0 });
    expect(typesIn(conversation).slice(-2)).toEqual(['pause', 'conversation-state-update']);
    expect(await conversation.run()).toMatchObject({ status: 'finished', iterations: 2 });
  });
});

test('a message that comes during the last step is still read', async () => {
  const llm = scriptedLLM({
    script: async (_request, index) => {
      if (index === 0) await conversation.send('And the other one?');
      return index === 0 ? 'The first is done.' : 'Both are done.';
    },
  });
  const conversation: Conversation = await Conversation.open({ agent: new Agent({ llm }) });
  await conversation.send('Do it.');
  expect(await conversation.run()).toMatchObject({ answer: 'Both are done.', iterations: 2 });
  // The message stands before the answer in the log; a request that ended in the answer would be refused.
  expect(llm.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});

test('a log that ends in an answer is finished, also without the status', async () => {
  const store = memoryEventStore();
  const running = createEvent('conversation-state-update', { key: 'status', value: 'running' });
  const answer = createEvent('message', {
    source: 'agent',
    role: 'assistant',
    content: [{ type: 'text', text: 'Done.' }],
    llmResponseId: 'response-1',
  });
  await store.append('c-1', [userMessage('Go.'), running, answer]);
  const llm = scriptedLLM({ script: [] });
  const conversation = await Conversation.open({ agent: new Agent({ llm }), store, conversationId: 'c-1' });
  expect(await conversation.run()).toMatchObject({ status: 'finished', iterations: 0 });
  expect(conversation.status).toBe('finished');
});

test('a finished conversation stays finished until the user says something', async () => {
  const llm = scriptedLLM({ script: ['One.', 'Two.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm }) });
  await conversation.send('First?');
  await conversation.run();
  const events = conversation.events.length;
  expect(await conversation.run()).toEqual({ status: 'finished', answer: 'One.', iterations: 0, condensations: 0 });
  expect(conversation.events.length).toBe(events);
  await conversation.send('Second?');
  expect(conversation.status).toBe('idle');
  expect(await conversation.run()).toMatchObject({ answer: 'Two.' });
});

test('messages sent at once are preceded by one system prompt', async () => {
  const conversation = await Conversation.open({
    agent: new Agent({ llm: scriptedLLM({ script: [] }), systemPrompt: 'You listen.' }),
  });
  await Promise.all(['One.', 'Two.', 'Three.'].map((text) => conversation.send(text)));
  expect(typesIn(conversation)).toEqual(['system-prompt', 'message', 'message', 'message']);
});

describe('overflow', () => {
  const tooLong = () => new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input' });

  test('is answered with a condensation, and the run goes on', async () => {
    const llm = scriptedLLM({ script: [callCount(1), callCount(2), callCount(3), tooLong(), 'It fits.'] });
    const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [count], condenser: rolling }) });
    await conversation.send('Count.');
    expect(await conversation.run()).toMatchObject({ answer: 'It fits.', iterations: 4, condensations: 1 });
    const types = typesIn(conversation);
    expect(types[types.indexOf('condensation-request') + 1]).toBe('condensation');
  });

  test('for which nothing is left to forget ends in a typed error, without further attempts', async () => {
    const stubborn: Condenser = {
      name: 'stubborn',
      handlesCondensationRequests: true,
      condense: (view) => {
        if (view.unhandledCondensationRequest) throw new NoCondensationAvailableError('nothing is left');
        return view;
      },
    };
    const llm = scriptedLLM({ script: tooLong });
    const conversation = await Conversation.open({ agent: new Agent({ llm, condenser: stubborn }) });
    await conversation.send('Go.');
    const reason = expect.stringContaining('everything that may be forgotten is forgotten') as string;
    await expect(conversation.run()).rejects.toMatchObject({ cause: { code: 'context-overflow', message: reason } });
    expect(llm.requests).toHaveLength(1);
    expect(typesIn(conversation)).not.toContain('condensation');
  });

  test('that the condenser does not cure: the agent makes room, once, then it is an error', async () => {
    // One unit at a time: it forgets as it promises, but makes too little room.
    const slow: Condenser = {
      name: 'slow',
      handlesCondensationRequests: true,
      condense: (view) => {
        if (!view.unhandledCondensationRequest) return view;
        return condensation({ view, start: 1, end: view.cutPoints.atOrAfter(3) ?? 3 });
      },
    };
    const script: Script = (_, index) => (index < 6 ? callCount(index) : tooLong());
    const llm = scriptedLLM({ script });
    const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [count], condenser: slow }) });
    await conversation.send('Count.');
    await expect(conversation.run()).rejects.toMatchObject({
      cause: { code: 'context-overflow' },
    });
    const made = [...conversation.events].filter((event) => event.type === 'condensation');
    expect(made.map(({ metadata }) => metadata?.['reason'])).toEqual([undefined, 'hard-reset']);
    expect(llm.requests).toHaveLength(6 + 3);
    const last = llm.requests.at(-1)?.messages ?? [];
    expect(messageViolations(last)).toEqual([]);
    // The user's message, the note, and the newest call with its result.
    expect(last.map(({ role }) => role)).toEqual(
      ['system', 'user', 'assistant', 'tool'].slice(last[0]?.role === 'system' ? 0 : 1),
    );
  });

  test.each([
    [{ inputTokens: 9_000, contextWindow: 32_000 }, 22_936],
    // A minute's limit of the account.
    [{ requestedTokens: 39_000, contextWindow: 32_000 }, 22_936],
  ])('of the answer alone lowers the answer, and no history is lost: %j', async (sizes, lowered) => {
    const llm = scriptedLLM({
      script: ({ maxOutputTokens }) =>
        maxOutputTokens === 30_000
          ? new ContextWindowExceededError('too much', { provider: 'scripted', kind: 'input-and-output', ...sizes })
          : 'It fits.',
    });
    const agent = new Agent({ llm, condenser: rolling, maxOutputTokens: 30_000 });
    const conversation = await Conversation.open({ agent });
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ answer: 'It fits.', condensations: 0 });
    expect(llm.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([30_000, lowered]);
  });

  test.each([
    { what: 'to what is left', figures: { inputTokens: 9_000, contextWindow: 32_000 }, lowered: 22_936 },
    { what: "to a quarter of the model's own, where the provider says no figures", figures: {}, lowered: 32_000 },
  ])('lowers a limit of the adapter before anything is condensed: $what', async ({ figures, lowered }) => {
    const seen: (number | undefined)[] = [];
    const condenser: Condenser = {
      ...rolling,
      condense: (view, context) => {
        seen.push(context.maxOutputTokens, context.contextWindow);
        return rolling.condense(view, context);
      },
    };
    const llm = scriptedLLM({
      contextWindow: 200_000,
      script: ({ maxOutputTokens }) =>
        maxOutputTokens === undefined
          ? new ContextWindowExceededError('too much in all', {
              provider: 'scripted',
              kind: 'input-and-output',
              ...figures,
            })
          : 'It fits.',
    });
    const facts = { ...modelFacts('claude-haiku-4-5', 'anthropic'), maxOutputTokens: 128_000 };
    const conversation = await Conversation.open({ agent: new Agent({ llm: { ...llm, facts }, condenser }) });
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ answer: 'It fits.', condensations: 0 });
    expect(llm.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([undefined, lowered]);
    // What a model could write is no reserve: the condenser is told of the limit that the agent was given, which is none.
    expect(seen).toEqual([undefined, 200_000]);
  });
});

describe('condense on request', () => {
  test('acts at once, without a model call or a tool', async () => {
    const llm = scriptedLLM({ script: [callCount(1), callCount(2), callCount(3)] });
    const conversation = await Conversation.open({
      agent: new Agent({ llm, tools: [count], condenser: rolling }),
      limits: { maxIterations: 3 },
    });
    await conversation.send('Count.');
    await expect(conversation.run()).rejects.toThrow();
    await conversation.condense();
    expect(typesIn(conversation).slice(-2)).toEqual(['condensation-request', 'condensation']);
    expect(conversation.view.unhandledCondensationRequest).toBe(false);
    expect(llm.requests).toHaveLength(3);
  });

  test('is refused without a condenser that handles requests', async () => {
    const conversation = await Conversation.open({ agent: new Agent({ llm: scriptedLLM({ script: [] }) }) });
    await expect(conversation.condense()).rejects.toThrow(CondensationNotSupportedError);
    expect(conversation.events.length).toBe(0);
  });
});

describe('resume', () => {
  test('other instructions or tools are appended once', async () => {
    const store = memoryEventStore();
    const open = (systemPrompt: string, tools = [count]) =>
      Conversation.open({
        agent: new Agent({ llm: scriptedLLM({ script: [] }), systemPrompt, tools: [...tools, finishTool()] }),
        store,
        conversationId: 'c-1',
      });
    for (const prompt of ['You count.', 'You count.', 'You count well.']) await (await open(prompt)).send('Hello.');
    const last = await open('You count well.', []);
    await last.send('Hello.');
    expect(typesIn(last).filter((type) => type === 'system-prompt')).toHaveLength(3);
  });
});
