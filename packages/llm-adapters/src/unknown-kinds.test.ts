/* oxlint-disable palimpsest/layers -- generated logs become messages by a view; tests only */
import type { AssistantMessage, ContentPart, Message, ToolDefinition } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import {
  checkAnthropicRequest,
  checkChatCompletionsRequest,
  checkResponsesRequest,
} from '@palimpsest/provider-servers/rules';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toMessagesRequest } from './anthropic/request.js';
import { anthropicLLM } from './anthropic/index.js';
import { openaiLLM } from './openai/index.js';
import { toResponsesRequest } from './openai/responses/request.js';
import { serverProfile } from './openai/server-profile.js';
import type { ServerName } from './openai/server-profile.js';
import { toChatCompletionsRequest } from './openai/chat/request.js';
import { estimateInputTokens } from './usage.js';

// Kinds that this version does not know, as a newer version or another package writes them.

/** Stands in all that must not be sent. */
const marker = 'of another version';
const audio = { type: 'audio', data: marker } as unknown as ContentPart;
const sealed = { type: 'acme/sealed', data: marker } as const;
const text = (words: string): ContentPart => ({ type: 'text', text: words });
const tools: readonly ToolDefinition[] = [{ name: 'run', description: '', inputSchema: { type: 'object' } }];
const call = (id: string) => ({ id, name: 'run', arguments: '{}' });
const result = (id: string, ...content: readonly ContentPart[]): Message => ({
  role: 'tool',
  toolCallId: id,
  toolName: 'run',
  content,
});
const signed = (position: number) => ({
  type: 'thinking' as const,
  thinking: `at ${position}`,
  signature: 's',
  position,
});

const history: readonly Message[] = [
  { role: 'system', content: [audio, text('Be short.')] },
  { role: 'user', content: [text('Go.'), audio] },
  { role: 'assistant', content: [audio], toolCalls: [call('a'), call('b')], thinkingBlocks: [signed(0), sealed] },
  result('a', audio),
  result('b', audio, text('done')),
  { role: 'user', content: [audio] },
];
const words = '(The tool answered in a form that cannot be shown here.)';
const known: readonly Message[] = [
  { role: 'system', content: [text('Be short.')] },
  { role: 'user', content: [text('Go.')] },
  { role: 'assistant', content: [], toolCalls: [call('a'), call('b')] },
  result('a', text(words)),
  result('b', text('done')),
];

const profiles: readonly ServerName[] = ['openai', 'mistral', 'gemini', 'deepseek', 'openrouter', 'ollama'];
const adapters: readonly (readonly [string, (messages: readonly Message[]) => unknown])[] = [
  ['Messages', (messages) => toMessagesRequest({ messages, tools }, { model: 'claude-opus-5-5' })],
  ['Messages, manual thinking', (messages) => toMessagesRequest({ messages, tools }, { model: 'claude-haiku-4-5' })],
  ['Responses', (messages) => toResponsesRequest({ messages, tools }, { model: 'gpt-5.2' })],
  ...profiles.map(
    (name) =>
      [
        `Chat Completions of ${name}`,
        (messages: readonly Message[]) =>
          toChatCompletionsRequest({ messages, tools }, { model: 'gpt-4o', server: serverProfile(name) }),
      ] as const,
  ),
];

describe.each(adapters)('%s', (_, bodyOf) => {
  it('is sent what is known, and no message list that a provider refuses', () => {
    expect(bodyOf(history)).toEqual(bodyOf(known));
    expect(JSON.stringify(bodyOf(history))).toContain(words);
    expect(JSON.stringify(bodyOf(history))).not.toContain(marker);
  });
});

it('thinking keeps its place among the parts that are sent', () => {
  const thinkingBlocks = [0, 1, 2, 3].map(signed);
  const answer: AssistantMessage = {
    role: 'assistant',
    content: [audio, text('look')],
    toolCalls: [call('a'), call('b')],
    thinkingBlocks,
  };
  const body = toMessagesRequest(
    { messages: [{ role: 'user', content: [text('Go.')] }, answer, result('a'), result('b')], tools },
    { model: 'claude-opus-5-5' },
  );
  const blocks = body.messages[1]?.content as readonly { readonly type: string; readonly thinking?: string }[];
  expect(blocks.map(({ type, thinking }) => thinking ?? type)).toEqual([
    'at 0',
    'at 1',
    'text',
    'at 2',
    'tool_use',
    'at 3',
    'tool_use',
  ]);
});

it('costs nothing in an estimate', () => {
  const plain = history.map((message) => ({ ...message, content: message.content.filter((part) => part !== audio) }));
  expect(estimateInputTokens({ messages: history })).toBe(estimateInputTokens({ messages: plain }));
});

it('goes over HTTP to servers that refuse what providers refuse', async () => {
  const anthropic = await anthropicServer({ reply: () => ({ content: [{ type: 'text', text: 'Done.' }] }) });
  const openai = await openaiServer({ reply: () => ({ message: { content: 'Done.' } }) });
  onTestFinished(async () => void (await Promise.all([anthropic.close(), openai.close()])));
  const llms = [
    anthropicLLM({ model: 'claude-opus-5-5', apiKey: 'key', baseURL: anthropic.baseURL }),
    openaiLLM({ model: 'gpt-4o', apiKey: 'key', baseURL: openai.baseURL }),
  ];
  for (const llm of llms) {
    const { message } = await llm.complete({ messages: history, tools });
    expect(message.content).toEqual([text('Done.')]);
  }
});

it('a view of any log of a newer version is taken by every provider', () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < (process.env['PALIMPSEST_THOROUGH'] === 'true' ? 100 : 30); seed++) {
    const { name, events, counts } = randomLog({ seed, dirty: true, length: 60 });
    for (const feature of ['unknown part', 'unknown thinking', 'unknown role', 'unknown source'] as const) {
      if (counts[feature] > 0) seen.add(feature);
    }
    const messages = View.fromEvents(events).toMessages();
    expect(checkAnthropicRequest(toMessagesRequest({ messages, tools }, { model: 'claude-opus-5-5' })), name).toEqual(
      [],
    );
    expect(
      checkChatCompletionsRequest(toChatCompletionsRequest({ messages, tools }, { model: 'gpt-4o' })),
      name,
    ).toEqual([]);
    expect(checkResponsesRequest(toResponsesRequest({ messages, tools }, { model: 'gpt-5.2' })), name).toEqual([]);
  }
  expect(seen.size).toBe(4);
});
