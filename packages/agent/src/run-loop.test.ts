import { defineTool, eventFactory } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { ContentPolicyError, ContextWindowExceededError, MalformedHistoryError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import { Conversation } from './conversation/conversation.js';
import { requestCondensationTool } from './tool-calls/built-in-tools.js';

const echo = defineTool({
  name: 'echo',
  description: '',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

const echoing = (text: string) => ({ toolCalls: [{ name: 'echo', arguments: { text } }] });
const typesIn = (events: Iterable<Event>) => [...events].map(({ type }) => type);
const ofType = (events: Iterable<Event>, type: string) => [...events].filter((event) => event.type === type);

describe('a run that makes no progress', () => {
  test('ends as stuck, names the pattern, and stays stuck until the user sends a message', async () => {
    const llm = scriptedLLM({ script: (_, index) => (index < 9 ? echoing('same') : 'Done.') });
    const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [echo] }) });
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ status: 'stuck', stuck: 'repeated-action', iterations: 4 });
    expect(conversation.status).toBe('stuck');
    expect(await conversation.run()).toMatchObject({ status: 'stuck', iterations: 0 });
    await conversation.send('Try something else.');
    expect(conversation.status).toBe('idle');
    expect(await conversation.run()).toMatchObject({ status: 'stuck', iterations: 4 });
  });

  test('because a call fails: the model is told once, and then it is stuck', async () => {
    const llm = scriptedLLM({ script: () => ({ toolCalls: [{ name: 'nothing' }] }) });
    const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [echo] }) });
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ status: 'stuck', stuck: 'repeated-error', iterations: 4 });
    expect(JSON.stringify(llm.requests.at(-1)?.messages.at(-1))).toContain('has failed several times');
    expect(llm.requests.filter(({ messages }) => JSON.stringify(messages).includes('several times'))).toHaveLength(1);
  });

  test('is not detected when detection is off', async () => {
    const llm = scriptedLLM({ script: (_, index) => (index < 9 ? echoing('same') : 'Done.') });
    const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [echo] }), stuckDetection: false });
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ status: 'finished', iterations: 10 });
  });

  test('G12: overflow, condensation, one action, overflow again is a loop that ends', async () => {
    const condenser: Condenser = {
      name: 'last-two',
      handlesCondensationRequests: true,
      condense: (view) =>
        view.unhandledCondensationRequest ? condensation({ view, start: 1, end: view.events.length - 2 }) : view,
    };
    let calls = 0;
    const script: Script = ({ messages }) =>
      messages.length > 3
        ? new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input' })
        : echoing(`${++calls}`);
    const conversation = await Conversation.open({
      agent: new Agent({ llm: scriptedLLM({ script }), tools: [echo], condenser }),
      limits: { maxIterations: 100 },
    });
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ status: 'stuck', stuck: 'context-window-loop' });
  });
});

describe('limits', () => {
  const usage = { uncachedInputTokens: 900, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 100 };
  const busy: Script = (_, index) => ({ ...echoing(`${index}`), usage });

  test('tokens: a typed error, and the next run has its own', async () => {
    const conversation = await Conversation.open({
      agent: new Agent({ llm: scriptedLLM({ script: busy }), tools: [echo] }),
      limits: { maxTokens: 3_000 },
    });
    await conversation.send('Go.');
    await expect(conversation.run()).rejects.toMatchObject({ cause: { limit: 'tokens', value: 3_000 } });
    expect(ofType(conversation.events, 'llm-usage')).toHaveLength(3);
    await expect(conversation.run()).rejects.toMatchObject({ cause: { limit: 'tokens' } });
    expect(ofType(conversation.events, 'llm-usage')).toHaveLength(6);
  });

  test('money; a call without a known cost is an error and not overlooked', async () => {
    const prices = { input: 10, cacheRead: 1, cacheWrite: 12, output: 50 };
    const limits = { maxCostUsd: 0.03 };
    const priced = new Agent({ llm: scriptedLLM({ script: busy, prices }), tools: [echo] });
    const conversation = await Conversation.open({ agent: priced, limits });
    await conversation.send('Go.');
    await expect(conversation.run()).rejects.toMatchObject({ cause: { limit: 'cost-usd' } });
    expect(ofType(conversation.events, 'llm-usage')).toHaveLength(3);
    const unpriced = await Conversation.open({
      agent: new Agent({ llm: scriptedLLM({ script: busy }), tools: [echo] }),
      limits,
    });
    await unpriced.send('Go.');
    await expect(unpriced.run()).rejects.toThrow(/not known/);
  });

  test('the model is told of the calls that are left', async () => {
    const llm = scriptedLLM({ script: (_, index) => (index < 4 ? echoing(`${index}`) : 'Done.') });
    const conversation = await Conversation.open({
      agent: new Agent({ llm, tools: [echo] }),
      limits: { maxIterations: 5 },
      reminders: [2],
    });
    await conversation.send('Go.');
    await conversation.run();
    expect(llm.requests[3]?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringContaining('2 more responses') as string }],
    });
    // At the end of the list, so that what was sent before stays a prefix.
    expect(llm.requests[3]?.messages.slice(0, -1)).toEqual([
      ...(llm.requests[2]?.messages ?? []),
      ...(llm.requests[3]?.messages ?? []).slice(-3, -1),
    ]);
  });
});

describe('parallel tools', () => {
  test('run at the same time if they are marked, and each result is in the log as soon as it exists', async () => {
    const release = new Map<string, () => void>();
    const order: string[] = [];
    const wait = defineTool({
      name: 'wait',
      description: '',
      input: z.object({ name: z.string() }),
      annotations: { parallel: true },
      execute: async ({ name }) => {
        order.push(`begin ${name}`);
        await new Promise<void>((resolve) => release.set(name, resolve));
        order.push(`end ${name}`);
        return name;
      },
    });
    const call = (name: string) => ({ name: 'wait', arguments: { name }, id: name });
    const llm = scriptedLLM({ script: [{ toolCalls: [call('a'), call('b'), call('c')] }, 'Done.'] });
    const agent = new Agent({ llm, tools: [wait], toolConcurrency: 2 });
    const conversation = await Conversation.open({ agent });
    conversation.events.observe((event) => {
      if (event.type === 'observation') order.push(`logged ${event.toolCallId}`);
    });
    await conversation.send('Go.');
    const run = conversation.run();
    const until = async (name: string): Promise<void> => {
      while (!release.has(name)) await new Promise(setImmediate);
      release.get(name)?.();
    };
    await until('b');
    await until('c');
    await until('a');
    expect(await run).toMatchObject({ status: 'finished' });
    expect(order.slice(0, 2)).toEqual(['begin a', 'begin b']);
    expect(order.indexOf('logged b')).toBeLessThan(order.indexOf('end a'));
    expect(order.indexOf('begin c')).toBeGreaterThan(order.indexOf('logged b'));
    expect(messageViolations(llm.requests[1]?.messages ?? [])).toEqual([]);
    expect(llm.requests[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
  });
});

describe('a history that the provider calls malformed', () => {
  const malformed = () => new MalformedHistoryError('Invalid signature', { provider: 'scripted', statusCode: 400 });
  const thinking = [{ type: 'thinking', thinking: 'hm', signature: 'of another' }] as const;

  test('is sent once more without thinking, and stays so, after a restart too', async () => {
    const script: Script = ({ messages }, index) => {
      if (JSON.stringify(messages).includes('of another')) return malformed();
      return index === 0 ? { ...echoing('x'), thinkingBlocks: thinking } : 'Done.';
    };
    const llm = scriptedLLM({ script });
    const agent = new Agent({ llm, tools: [echo] });
    const conversation = await Conversation.open({ agent });
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
    expect(llm.requests).toHaveLength(3);
    const again = await conversation.fork();
    await again.send('And now?');
    expect(await again.run()).toMatchObject({ status: 'finished' });
    expect(llm.requests).toHaveLength(4);
  });

  test('is a typed error when there is nothing to repair', async () => {
    const llm = scriptedLLM({ script: malformed });
    const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [echo] }) });
    await conversation.send('Go.');
    await expect(conversation.run()).rejects.toMatchObject({ cause: { code: 'malformed-history' } });
    expect(llm.requests).toHaveLength(1);
  });
});

test('G19: a refusal of the provider is told to the model in words of the framework; a second one in a row ends the run', async () => {
  const refusal = () => new ContentPolicyError('no', { provider: 'scripted' });
  const llm = scriptedLLM({ script: [refusal(), 'I leave that out.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm }) });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ answer: 'I leave that out.' });
  // G19: no words of the framework have the source `user`.
  expect(ofType(conversation.events, 'message').map((event) => event.source)).toEqual(['user', 'environment', 'agent']);
  const stubborn = await Conversation.open({ agent: new Agent({ llm: scriptedLLM({ script: refusal }) }) });
  await stubborn.send('Go.');
  await expect(stubborn.run()).rejects.toMatchObject({ cause: { code: 'content-policy' } });
});

test('G19: an answer that is a refusal is no answer: no model reads it, it is paid for, and a second one ends the run', async () => {
  const refused = (text: string) => ({
    text,
    finishReason: 'content-filter' as const,
  });
  const llm = scriptedLLM({ script: [refused('I cannot help with that.'), 'I leave that out.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm }) });
  await conversation.send('Go.');
  expect(await conversation.run({ onDelta: () => undefined })).toMatchObject({ answer: 'I leave that out.' });
  expect(ofType(conversation.events, 'broken-response')).toMatchObject([
    { content: [{ text: 'I cannot help with that.' }] },
  ]);
  expect(ofType(conversation.events, 'llm-usage')).toMatchObject([
    { purpose: 'broken-response' },
    { purpose: 'agent' },
  ]);
  expect(JSON.stringify(llm.requests[1])).toContain('The provider refused this request');
  expect(JSON.stringify(llm.requests[1])).not.toContain('I cannot help');
  for (const text of ['I cannot help with that.', '']) {
    const stubborn = await Conversation.open({
      agent: new Agent({ llm: scriptedLLM({ script: () => refused(text) }) }),
    });
    await stubborn.send('Go.');
    await expect(stubborn.run()).rejects.toMatchObject({
      cause: { code: 'content-policy', message: `The provider refused to answer${text === '' ? '.' : `: ${text}`}` },
    });
  }
});

test('the model requests a condensation, and gets it before its next call', async () => {
  const condenser: Condenser = {
    name: 'rolling',
    handlesCondensationRequests: true,
    condense: (view) =>
      view.unhandledCondensationRequest
        ? condensation({ view, start: 1, end: view.events.length - 2, summary: 'S' })
        : view,
  };
  const script: Script = [echoing('1'), echoing('2'), { toolCalls: [{ name: 'request_condensation' }] }, 'Done.'];
  const agent = new Agent({ llm: scriptedLLM({ script }), tools: [echo, requestCondensationTool()], condenser });
  const conversation = await Conversation.open({ agent });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ status: 'finished', condensations: 1 });
  expect(ofType(conversation.events, 'condensation-request')).toMatchObject([{ source: 'agent' }]);
});

describe('fork', () => {
  test('two conversations share a past, and continue independently', async () => {
    const llm = scriptedLLM({ script: [echoing('1'), 'One.', 'Fork.', 'Trunk.'] });
    const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [echo] }), conversationId: 'trunk' });
    await conversation.send('Go.');
    await conversation.run();
    const fork = await conversation.fork({ conversationId: 'branch' });
    await fork.send('And there?');
    expect(await fork.run()).toMatchObject({ answer: 'Fork.' });
    await conversation.send('And here?');
    expect(await conversation.run()).toMatchObject({ answer: 'Trunk.' });
    expect(JSON.stringify([...conversation.events])).not.toContain('And there?');
    expect(fork.id).toBe('branch');
    expect(ofType(fork.events, 'conversation-state-update')).toContainEqual(
      expect.objectContaining({ key: 'forked-from', value: { conversationId: 'trunk' } }),
    );
  });

  test('in the middle of a response: calls that run here are answered as interrupted in the fork', async () => {
    let count = 0;
    const createEvent = eventFactory({ newId: () => `e${++count}` });
    const llm = scriptedLLM({ script: [echoing('1'), 'One.', 'Forked.'] });
    const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [echo], createEvent }) });
    await conversation.send('Go.');
    await conversation.run();
    const action = ofType(conversation.events, 'action')[0];
    const fork = await conversation.fork({ at: action?.id ?? '' });
    expect(await fork.run()).toMatchObject({ answer: 'Forked.' });
    expect(ofType(fork.events, 'agent-error')).toHaveLength(1);
    expect(messageViolations(llm.requests.at(-1)?.messages ?? [])).toEqual([]);
    await expect(conversation.fork({ at: 'nowhere' })).rejects.toThrow(/no event 'nowhere'/);
  });
});

test('follow yields every event, to a slow reader too, and ends with its signal', async () => {
  const llm = scriptedLLM({ script: [echoing('1'), 'Done.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [echo] }) });
  const stop = new AbortController();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of conversation.follow({ signal: stop.signal })) {
      seen.push(event.type);
      await new Promise(setImmediate);
    }
  })();
  await conversation.send('Go.');
  await conversation.run();
  while (seen.length < conversation.events.length) await new Promise(setImmediate);
  stop.abort();
  await reading;
  expect(seen).toEqual(typesIn(conversation.events));
});
