import type { Condenser } from '@palimpsest/view';
import { expect, it } from 'vitest';
import { anthropicHistory, richAnthropicHistory } from '../../test-support/anthropic-loop.js';
import { chatHistory, richChatHistory } from '../../test-support/chat-loop.js';
import { responsesHistory, richResponsesHistory } from '../../test-support/responses-loop.js';
import { anthropicMessages, chatMessages, condensedHistory, responsesItems, UnreadMessageError } from '../index.js';
import type { Codec } from '../index.js';

const condenser: Condenser = { name: 'idle', condense: (view) => view };

async function fitted(codec: Codec<never>, messages: readonly unknown[]) {
  return condensedHistory({ condenser, codec }).fit(messages as readonly never[]);
}

const chat = chatMessages() as Codec<never>;
const anthropic = anthropicMessages() as Codec<never>;
const responses = responsesItems() as Codec<never>;

const user = { role: 'user', content: 'Read a.ts.' };
const aiSdk = [
  user,
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a.ts' } }] },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'text', value: 'const a;' } }],
  },
];
const uiMessages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Read a.ts.' }] }];
const gemini = [{ role: 'user', parts: [{ text: 'Read a.ts.' }] }];
const bedrock = [
  { role: 'user', content: [{ text: 'Read a.ts.' }] },
  { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'read', input: {} } }] },
];
const langchain = [{ getType: () => 'human', content: 'Read a.ts.' }];
const results = [user, { role: 'tool', tool_call_id: 'c1', content: 'const a;' }];
const developer = [{ role: 'developer', content: 'Be brief.' }, user];

it.each<[string, Codec<never>, readonly unknown[], number, string]>([
  ['calls of Chat', anthropic, chatHistory(2), 2, "has 'tool_calls', which anthropicMessages() does not read"],
  ['calls of Chat', responses, chatHistory(2), 2, "has 'tool_calls', which responsesItems() does not read"],
  ['results of Chat', anthropic, results, 1, "has role 'tool', which anthropicMessages() does not read"],
  ['results of Chat', responses, results, 1, "has role 'tool', which responsesItems() does not read"],
  [
    'calls of the Messages API',
    chat,
    anthropicHistory(2),
    1,
    "has a part of the type 'tool_use', which chatMessages()",
  ],
  [
    'calls of the Messages API',
    responses,
    anthropicHistory(2),
    1,
    "has a part of the type 'tool_use', which responses",
  ],
  ['items', chat, responsesHistory(2), 1, "has the type 'reasoning', which chatMessages() does not read"],
  ['items', anthropic, responsesHistory(2), 1, "has the type 'reasoning', which anthropicMessages() does not read"],
  ['the AI SDK', chat, aiSdk, 1, "has a part of the type 'tool-call', which chatMessages() does not read"],
  ['the AI SDK', anthropic, aiSdk, 1, "has a part of the type 'tool-call', which anthropicMessages() does not read"],
  ['UI messages', chat, uiMessages, 0, "has 'parts', which chatMessages() does not read"],
  ['Gemini', chat, gemini, 0, "has 'parts', which chatMessages() does not read"],
  ['Bedrock', chat, bedrock, 1, "has 'toolUse', which chatMessages() does not read"],
  ['LangChain', chat, langchain, 0, 'is a message of LangChain, which chatMessages() does not read'],
  ['a developer', anthropic, developer, 0, "has role 'developer', which anthropicMessages() does not read"],
  ['another role', chat, [user, { role: 'nobody' }], 1, "has role 'nobody', which chatMessages() does not read"],
  [
    'no message',
    chat,
    [user, { text: 'Hello.' }],
    1,
    'has neither a role nor a type, which chatMessages() does not read',
  ],
])('%s: a codec of another form says what it does not read', async (_, codec, list, index, words) => {
  const { problem, messages, state } = await fitted(codec, list);
  expect(problem).toBeInstanceOf(UnreadMessageError);
  expect(problem?.message).toContain(`messages[${index}] ${words}`);
  expect(problem).toMatchObject({ index, code: 'unread-message' });
  expect({ messages, state }).toEqual({ messages: list, state: 'untouched' });
});

it.each<[string, Codec<never>, readonly unknown[], string]>([
  ['Chat', anthropic, results, 'Use chatMessages().'],
  ['the Messages API', chat, anthropicHistory(2), 'Use anthropicMessages().'],
  ['the Responses API', chat, responsesHistory(2), 'Use responsesItems().'],
  ['the AI SDK', anthropic, aiSdk, 'Use modelMessages() of @palimpsest/ai-sdk.'],
  ['UI messages', chat, uiMessages, 'convertToModelMessages() of ai'],
  ['LangChain', chat, langchain, 'Use langchainMessages() of @palimpsest/langchain.'],
  ['a developer', anthropic, developer, 'Use chatMessages() or responsesItems().'],
  ['Bedrock', chat, bedrock, 'convert the list, or write a codec'],
])('%s: and which codec does', async (_, codec, list, words) => {
  expect((await fitted(codec, list)).problem?.message).toContain(words);
});

it('each fit says so, whatever the list has got since', async () => {
  const history = condensedHistory({ condenser, codec: anthropicMessages() });
  const list = chatHistory(2);
  for (const steps of [2, 4]) {
    while (list.length < steps * 2 + 2) list.push(...chatHistory(steps).slice(list.length));
    expect((await history.fit(list)).problem).toBeInstanceOf(UnreadMessageError);
  }
});

it('a problem of the condenser comes first', async () => {
  const failing: Condenser = { name: 'failing', condense: () => Promise.reject(new Error('no model')) };
  const { problem } = await condensedHistory({ condenser: failing, codec: anthropicMessages() }).fit(chatHistory(2));
  expect(problem?.message).toBe('no model');
});

it('a codec of somebody else is called by its name, and keeps its own types', async () => {
  const own = { ...responsesItems(), name: 'acme' } as unknown as Codec<never>;
  expect((await fitted(own, responsesHistory(2))).problem).toBeUndefined();
  expect((await fitted(own, results)).problem?.message).toContain("the codec 'acme' does not read");
});

it.each<[string, Codec<never>, readonly unknown[]]>([
  ['chat', chat, [...chatHistory(3), ...richChatHistory()]],
  ['anthropic', anthropic, [...anthropicHistory(3), ...richAnthropicHistory()]],
  ['responses', responses, [...responsesHistory(3), ...richResponsesHistory()]],
  ['items of tools that the provider runs', responses, [user, { type: 'item_reference', id: 'x' }, { type: 'news' }]],
  ['files and audio', chat, [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }, { type: 'file' }] }]],
  [
    'tools of the server',
    anthropic,
    [user, { role: 'assistant', content: [{ type: 'server_tool_use', id: 's1' }, { type: 'news' }] }],
  ],
])('%s: a list in the form of its codec has no problem', async (_, codec, list) => {
  expect((await fitted(codec, list)).problem).toBeUndefined();
});
