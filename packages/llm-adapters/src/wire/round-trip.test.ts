import type { Message } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import { answerOf } from './answer-builder.js';
import { readAnthropicMessage } from '../anthropic/reader.js';
import { messageBlocks } from '../anthropic/writer.js';
import { callIds } from './call-ids.js';
import { readChatMessage } from '../openai/chat/reader.js';
import { chatMessage } from '../openai/chat/writer.js';
import { contentOf } from './pieces.js';
import type { ReadMessage } from './pieces.js';
import { readResponsesItem } from '../openai/responses/reader.js';
import { inputItems } from '../openai/responses/writer.js';
import { toolNames } from './tool-names.js';

// What a writer writes, the reader of the same API reads.

const text = (words: string) => ({ type: 'text' as const, text: words });
const image = { type: 'image' as const, url: 'data:image/png;base64,iVBO' };
const calls = [
  { id: 'a', name: 'read', arguments: '{"path":"a"}' },
  { id: 'b', name: 'run', arguments: '{}' },
];
const thinkingBlocks = [
  { type: 'thinking' as const, thinking: 'Hm.', signature: 's' },
  { type: 'redacted-thinking' as const, data: 'x', position: 2 },
];
const reasoningItems = [
  { id: 'rs_1', summary: ['Hm.'], encryptedContent: 'one' },
  { id: 'rs_2', summary: [], content: ['Raw.'], encryptedContent: 'two', position: 1 },
];
const dialect = {
  content: 'parts',
  emptyContent: 'null',
  reasoning: 'with-calls',
  thoughtSignatures: true,
} as const;
const onCall = { type: 'thinking' as const, thinking: '', signature: 'g', position: 1 };

const user: Message = { role: 'user', content: [text('Look.'), image] };
const result: Message = { role: 'tool', toolCallId: 'a', toolName: 'read', content: [text('found')] };
const answer = (thinking: object): Message => ({
  role: 'assistant',
  content: [text('I look.')],
  toolCalls: calls,
  ...thinking,
});

const apis: readonly [string, object, (message: Message) => readonly ReadMessage[]][] = [
  [
    'Messages',
    { thinkingBlocks },
    (message) => {
      const content = messageBlocks(message, { ...writing(message), replaysThinking: true });
      return [readAnthropicMessage({ role: message.role === 'tool' ? 'user' : message.role, content })];
    },
  ],
  [
    'Chat Completions',
    { reasoningContent: 'Hm.', thinkingBlocks: [onCall] },
    (message) => [readChatMessage(chatMessage(message, { ...writing(message), dialect }))],
  ],
  [
    'Responses',
    { reasoningItems },
    (message) =>
      inputItems(message, { ...writing(message), reasoningSent: new Set(), withPhases: true }).map(readResponsesItem),
  ],
];

const writing = (message: Message) => ({
  ids: callIds({ maxLength: 40 }),
  names: toolNames({ messages: [message] }),
});

describe.each(apis)('%s', (_, thinking, thereAndBack) => {
  const read = (message: Message) => thereAndBack(message);

  it('gives back words and images of the user', () => {
    expect(read(user).map(({ role, pieces }) => ({ role, content: contentOf(pieces) }))).toEqual([user]);
  });

  it('gives back an answer, its thinking where it stood', () => {
    const pieces = read(answer(thinking)).flatMap((message) => message.pieces);
    expect(answerOf(pieces, { newCallId: () => 'none' }).message).toEqual(answer(thinking));
  });

  it('gives back a result', () => {
    const [{ pieces } = { pieces: [] }] = read(result);
    expect(pieces).toMatchObject([{ type: 'result', toolCallId: 'a', content: [{ part: text('found') }] }]);
  });
});
