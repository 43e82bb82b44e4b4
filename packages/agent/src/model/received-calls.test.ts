import { defineTool } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';

// Incomplete calls: the model is told, and what it wrote can be sent back to every provider.

const apiKey = 'sk-test-0123456789abcdef';
const usage = { uncachedInputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
const wires = [
  'Anthropic, claude-opus-5-5',
  'Anthropic, claude-haiku-4-5',
  'Chat Completions, deepseek',
  'Chat Completions, mistral',
  'Chat Completions, gemini',
  'Chat Completions, strict-template',
  'Responses',
];

async function open(llm: LLM) {
  const reads: string[] = [];
  const read = defineTool({
    name: 'read',
    description: 'Reads a file.',
    input: z.object({ path: z.string().optional() }),
    execute: ({ path = '' }) => {
      reads.push(path);
      return 'export {};';
    },
  });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [read] }) });
  await conversation.send('Read it.');
  return { conversation, reads };
}

const ofType = (events: Iterable<Event>, type: Event['type']) => [...events].filter((event) => event.type === type);

test.each([
  ['an empty name', { id: 'c', name: '', arguments: '{}' }],
  ['a blank name', { id: 'c', name: ' \n', arguments: '{}' }],
  ['no name', { id: 'c', arguments: '{}' }],
  ['a name that is no text', { id: 'c', name: 7, arguments: '{}' }],
  ['nothing at all', {}],
  ['no call', null],
  ['arguments that are no text', { id: 'c', name: '', arguments: { path: 1n } }],
])('has its calls answered that have %s', async (_what, call) => {
  let asked = 0;
  const llm: LLM = {
    model: 'careless',
    complete: async () => {
      const toolCalls = asked++ === 0 ? ([call] as never) : undefined;
      const content = [{ type: 'text' as const, text: 'Hm.' }];
      const message = { role: 'assistant' as const, content, toolCalls };
      return { message, responseId: `r${asked}`, usage, finishReason: 'stop', model: 'careless' };
    },
  };
  const { conversation, reads } = await open(llm);
  expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Hm.' });
  expect(reads).toEqual([]);
  expect(ofType(conversation.events, 'agent-error')).toMatchObject([
    { error: 'The call names no tool. The tools are: read.' },
  ]);
});

test.each(wires)('a call without a name is answered, over HTTP: %s', async (name) => {
  // The servers send the scripted reply; only the first one names no tool.
  const nameless = await namelessServer(name);
  onTestFinished(() => nameless.server.close());
  const { conversation, reads } = await open(nameless.llm);
  for (const onDelta of [undefined, () => undefined]) {
    const heard = onDelta === undefined ? {} : { onDelta };
    if (onDelta !== undefined) await conversation.send('Again.');
    expect(await conversation.run(heard)).toMatchObject({ status: 'finished', answer: 'Done.' });
  }
  // A refused history would have been sent once more, without thinking.
  expect(ofType(conversation.events, 'conversation-state-update')).not.toContainEqual(
    expect.objectContaining({ key: 'thinking' }),
  );
  expect(reads).toEqual([]);
  expect(nameless.server.requests).toHaveLength(4);
  expect(ofType(conversation.events, 'agent-error')).toMatchObject([
    { error: 'The call names no tool. The tools are: read.' },
    { error: 'The call names no tool. The tools are: read.' },
  ]);
});

async function namelessServer(name: string): Promise<{ readonly server: ProviderServer; readonly llm: LLM }> {
  if (name.startsWith('Anthropic')) {
    const server = await anthropicServer({
      reply: (_, index) => ({
        content:
          index % 2 === 0
            ? [{ type: 'tool_use', id: `toolu_${index}`, name: '', input: {} }]
            : [{ type: 'text', text: 'Done.' }],
      }),
    });
    return { server, llm: anthropicLLM({ model: name.slice('Anthropic, '.length), apiKey, baseURL: server.baseURL }) };
  }
  const profile = name === 'Responses' ? undefined : (name.slice('Chat Completions, '.length) as 'deepseek');
  const server = await openaiServer({
    profile,
    reply: (_, index) => ({
      message:
        index % 2 === 0
          ? { tool_calls: [{ id: `call_${index}`, type: 'function', function: { name: '', arguments: '{}' } }] }
          : { content: 'Done.' },
    }),
  });
  const options = profile === undefined ? ({ api: 'responses', server: 'openai' } as const) : { server: profile };
  return {
    server,
    llm: openaiLLM({ model: profile === undefined ? 'gpt-6.1-sol' : 'm', apiKey, baseURL: server.baseURL, ...options }),
  };
}
