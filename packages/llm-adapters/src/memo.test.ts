/* oxlint-disable palimpsest/layers -- an agent's messages come from a view; tests only */
import type { AssistantMessage, Message, UserMessage } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import { describe, expect, it } from 'vitest';
import type { MessagesOptions } from './anthropic/request.js';
import { toMessagesRequest } from './anthropic/request.js';
import type { CompletionRequest } from './llm.js';
import { deepFreeze } from './memo.js';
import { toResponsesRequest } from './openai/responses/request.js';
import { serverProfile } from './openai/server-profile.js';
import type { ServerName } from './openai/server-profile.js';
import { toChatCompletionsRequest } from './openai/chat/request.js';
import { promptToSend } from './prompt-cache.js';
import type { SentPrompt } from './prompt-cache.js';

// What a message became is remembered with it. A body that is made with memory is the body that is made without it, and no body
// changes when a later one is made.

type Wire = (request: CompletionRequest) => object;

const claude = (options: MessagesOptions): [string, Wire] => [
  JSON.stringify(options),
  (request) => toMessagesRequest(request, options),
];
const servers: readonly ServerName[] = [
  ...(['openai', 'compatible', 'ollama', 'llama.cpp', 'vllm', 'lmstudio', 'strict-template'] as const),
  ...(['openrouter', 'mistral', 'gemini', 'deepseek', 'kimi'] as const),
];
const wires: readonly [string, Wire][] = [
  claude({ model: 'claude-opus-5-5' }),
  claude({ model: 'claude-sonnet-4-6', thinking: { budgetTokens: 2_000 } }),
  claude({ model: 'claude-haiku-4-5', thinking: 'on' }),
  claude({ model: 'claude-haiku-4-5' }),
  ...servers.map((name): [string, Wire] => [
    `Chat Completions of ${name}`,
    (request) => toChatCompletionsRequest(request, { model: 'some-model', server: serverProfile(name) }),
  ]),
  ['Chat Completions of gpt-6-sol', (request) => toChatCompletionsRequest(request, { model: 'gpt-6-sol' })],
  ['Responses of gpt-6-sol', (request) => toResponsesRequest(request, { model: 'gpt-6-sol' })],
  ['Responses of gpt-5.2', (request) => toResponsesRequest(request, { model: 'gpt-5.2' })],
];
const tools = ['read', 'run', 'search'].map((name) => ({
  name,
  description: `What ${name} does.`,
  inputSchema: { type: 'object', properties: { input: { type: 'string' } } },
}));

/** Some answers get reasoning of OpenAI's, some of it twice: the log's generator makes none. */
function withReasoning(message: Message, index: number): Message {
  if (message.role !== 'assistant' || index % 3 !== 0) return message;
  const item = { id: `rs_${index % 4}`, summary: ['s'], encryptedContent: `e${index % 5}`, position: index % 2 };
  return { ...message, reasoningItems: [item], reasoningContent: 'Hm.' } satisfies AssistantMessage;
}

/** The messages as a view shares them: frozen, and the same objects as before where they are equal. */
function shared(messages: readonly Message[], before: readonly Message[]): readonly Message[] {
  return messages.map((message, index) => {
    const old = before[index];
    return old !== undefined && JSON.stringify(old) === JSON.stringify(message)
      ? old
      : deepFreeze(structuredClone(message));
  });
}

const userSaying = (text: string): UserMessage => deepFreeze({ role: 'user', content: [{ type: 'text', text }] });

/** The requests of a conversation that grows, with what its messages are and what they were. */
function requestsOf(seed: number): readonly CompletionRequest[] {
  const log = randomLog({ seed, dirty: seed % 4 !== 0, length: 60 });
  const thinking = (['prefix-bound', 'latest-turn', 'none'] as const)[seed % 3];
  const requests: CompletionRequest[] = [];
  let messages: readonly Message[] = [];
  let sent: SentPrompt | undefined;
  for (const end of [9, 22, 23, 41, 58, 60]) {
    const rendered = View.fromEvents(log.events.slice(0, end), { thinking }).toMessages().map(withReasoning);
    messages = shared(rendered, messages);
    sent = promptToSend(messages, sent);
    const cache = seed % 5 === 0 ? {} : { cache: { key: 'k', ...sent.cache } };
    requests.push({ messages, ...(seed % 7 === 0 ? {} : { tools }), ...cache });
  }
  return requests;
}

/** A conversation in which a call's id comes again, with and without the first call that has it. */
function requestsOfRepeatedIds(): readonly CompletionRequest[] {
  const step = (): readonly Message[] => [
    userSaying('Go.'),
    { role: 'assistant', content: [], toolCalls: [{ id: 'abcdefgh0', name: 'run', arguments: '{"a":1}' }] },
    { role: 'tool', toolCallId: 'abcdefgh0', toolName: 'run', content: [{ type: 'text', text: 'ok' }] },
  ];
  const [first, second] = [deepFreeze(step()), deepFreeze(step())];
  return [[...first, ...second], second, [...first, ...second]].map((messages) => ({ messages }));
}

/** All wires are given the same messages, so that none may take what another one made of them. */
const conversations = [
  ...Array.from({ length: process.env['PALIMPSEST_THOROUGH'] === 'true' ? 21 : 10 }, (_, seed) => requestsOf(seed)),
  requestsOfRepeatedIds(),
];

function withoutMemory(request: CompletionRequest): CompletionRequest {
  return { ...request, messages: structuredClone(request.messages) };
}

describe.each(wires)('%s', (_name, body) => {
  it('makes of shared messages what it makes of copies, and changes no earlier body', () => {
    for (const [seed, requests] of conversations.entries()) {
      const made: [body: object, asMade: string][] = [];
      for (const request of requests) {
        const one = body(request);
        const asMade = JSON.stringify(one);
        expect(asMade, `seed ${seed}`).toBe(JSON.stringify(body(withoutMemory(request))));
        made.push([one, asMade]);
      }
      for (const [one, asMade] of made) expect(JSON.stringify(one), `seed ${seed}`).toBe(asMade);
    }
  });

  it('shares what a message became with the next body', () => {
    const settled: readonly Message[] = deepFreeze([
      userSaying('Go.'),
      { role: 'assistant', content: [], toolCalls: [{ id: 'abcdefgh0', name: 'run', arguments: '{"a":1}' }] },
      { role: 'tool', toolCallId: 'abcdefgh0', toolName: 'run', content: [{ type: 'text', text: 'ok' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      userSaying('More.'),
    ]);
    const answer: Message = deepFreeze({ role: 'assistant', content: [{ type: 'text', text: 'Done again.' }] });
    const partsOf = (made: object) => {
      const list = Object.values(made).find((field) => Array.isArray(field) && field.length > 3) as object[];
      return 'max_tokens' in made ? list.flatMap((turn) => (turn as { content: object[] }).content) : list;
    };
    const [before, after] = [partsOf(body({ messages: settled })), partsOf(body({ messages: [...settled, answer] }))];
    for (const index of [0, 1, 2]) {
      expect(after[index]).toBe(before[index]);
      expect(Object.isFrozen(after[index])).toBe(true);
    }
  });

  it('makes no stale body of a message that its caller changes', () => {
    const part = { type: 'text', text: `first ${'words '.repeat(300)}\ud83d` };
    const message = { role: 'user', content: [part] };
    const messages = [userSaying('Go.'), message, Object.freeze({ ...message })] as readonly Message[];
    expect(JSON.stringify(body({ messages }))).toContain('first');
    part.text = `second ${'words '.repeat(300)}\ud83d`;
    const changed = JSON.stringify(body({ messages }));
    expect(changed).toContain('second');
    expect(changed).not.toContain('first');
  });
});
