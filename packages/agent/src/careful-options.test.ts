import { defineTool, memoryEventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation, NoCondensationAvailableError } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import type { AgentOptions } from './agent-options.js';
import type { ConfirmationPolicy } from './confirmation.js';
import { Conversation } from './conversation/conversation.js';
import { ConversationRunError } from './errors.js';
import { InvalidSecretError, secretMask } from './secrets/mask.js';

const value = 'hunter2-hunter2';

describe('invalid options are refused when the agent is made', () => {
  test.each(['{"risk":"HIGH"}', '{"risk":"critical"}', '{}', 'null', '"allways"', '1'])(
    'a confirmation policy from a file: %s',
    (text) => {
      const confirmation = JSON.parse(text) as ConfirmationPolicy;
      const make = () => new Agent({ llm: scriptedLLM({ script: [] }), confirmation });
      expect(make).toThrow(TypeError);
      expect(make).toThrow(/'always', 'never'/);
    },
  );

  test('a factory in place of a model or a condenser', () => {
    expect(() => new Agent({} as AgentOptions)).toThrow(/llm must be a model/);
    const condenser = Promise.resolve() as unknown as Condenser;
    expect(() => new Agent({ llm: scriptedLLM({ script: [] }), condenser })).toThrow(/condenser must be.*awaited/);
  });

  test('a secret whose variable is not set', () => {
    const secrets = { A: value, TOKEN: undefined as unknown as string };
    expect(() => secretMask(secrets)).toThrow(InvalidSecretError);
    expect(() => secretMask(secrets)).toThrow(/number 2 is not a text/);
  });
});

describe('a call that waits with a secret in its arguments', () => {
  function setUp() {
    const written: string[] = [];
    const write = defineTool({
      name: 'write',
      description: '',
      input: z.object({ text: z.string() }),
      execute: ({ text }) => {
        written.push(text);
        return 'Written.';
      },
    });
    const llm = scriptedLLM({
      script: [{ toolCalls: [{ name: 'write', arguments: { text: `password=${value}` } }] }, 'Done.'],
    });
    const agent = new Agent({ llm, tools: [write], confirmation: 'always' });
    const options = { agent, conversationId: 'c', store: memoryEventStore(), secrets: secretMask({ PW: value }) };
    return { written, options };
  }

  test('is carried out as the model wrote it, and shown and logged without the secret', async () => {
    const { written, options } = setUp();
    const conversation = await Conversation.open(options);
    await conversation.send('Go.');
    const { waiting } = await conversation.run();
    expect(waiting?.[0]?.toolCall.arguments).toBe('{"text":"password=[secret PW]"}');
    expect(conversation.waitingActions).toEqual(waiting);
    await conversation.confirm();
    expect(conversation.status).toBe('idle');
    expect(await conversation.run()).toMatchObject({ answer: 'Done.' });
    expect(written).toEqual([`password=${value}`]);
    expect(JSON.stringify([...conversation.events])).not.toContain(value);
  });

  test('is not carried out by a fork, which reads it from the log', async () => {
    const { written, options } = setUp();
    const conversation = await Conversation.open(options);
    await conversation.send('Go.');
    await conversation.run();
    const fork = await conversation.fork();
    await fork.confirm();
    expect(await fork.run()).toMatchObject({ answer: 'Done.' });
    expect(written).toEqual([]);
  });

  test('is not carried out by another process, which does not know the secret', async () => {
    const { written, options } = setUp();
    const before = await Conversation.open(options);
    await before.send('Go.');
    await before.run();
    const conversation = await Conversation.open(options);
    await conversation.confirm();
    expect(await conversation.run()).toMatchObject({ answer: 'Done.' });
    expect(written).toEqual([]);
    expect([...conversation.events].find(({ type }) => type === 'agent-error')).toMatchObject({
      error: expect.stringMatching(/does not keep the secret.*Call it again/) as string,
    });
  });
});

test('a message is sent once, also when its context cannot be made; the run fails until it can', async () => {
  let isBroken = true;
  const context = () => {
    if (isBroken) throw new Error('The template is broken.');
    return [];
  };
  const agent = new Agent({ llm: scriptedLLM({ script: ['Done.'] }), context });
  const conversation = await Conversation.open({ agent });
  await conversation.send('Go.');
  await expect(conversation.run()).rejects.toThrow(ConversationRunError);
  isBroken = false;
  expect(await conversation.run()).toMatchObject({ answer: 'Done.' });
  expect([...conversation.events].filter(({ type }) => type === 'message')).toHaveLength(2);
});

test('a condensation on request resolves to the condensation, or to undefined', async () => {
  let canAct = true;
  const condenser: Condenser = {
    name: 'c',
    handlesCondensationRequests: true,
    condense: (view) => {
      if (!view.unhandledCondensationRequest) return view;
      if (!canAct) throw new NoCondensationAvailableError('nothing may go');
      return condensation({ view, start: 1, end: view.events.length });
    },
  };
  const conversation = await Conversation.open({
    agent: new Agent({ llm: scriptedLLM({ script: ['One.'] }), condenser }),
  });
  await conversation.send('Go.');
  await conversation.run();
  expect(await conversation.condense()).toMatchObject({ type: 'condensation' });
  canAct = false;
  expect(await conversation.condense()).toBeUndefined();
  expect([...conversation.events].findLast(({ type }) => type === 'condensation-attempt')).toMatchObject({
    reason: expect.stringContaining('nothing may go') as string,
  });
});

test('a cost that is not an amount is left out, and the run goes on', async () => {
  const scripted = scriptedLLM({ script: ['Done.', 'Aside.'] });
  const llm = {
    model: scripted.model,
    complete: async (...args: Parameters<typeof scripted.complete>) => ({
      ...(await scripted.complete(...args)),
      costUsd: Number.NaN,
    }),
  };
  const conversation = await Conversation.open({ agent: new Agent({ llm }) });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ answer: 'Done.' });
  expect(await conversation.ask('And?')).toBe('Aside.');
  for (const event of conversation.events) expect(event).not.toHaveProperty('costUsd');
});
