import { describe, expect, it } from 'vitest';
import { readAnthropicMessage } from '../anthropic/reader.js';
import { readChatMessage } from '../openai/chat/reader.js';
import type { Piece, ReadMessage } from './pieces.js';
import { readResponsesItem } from '../openai/responses/reader.js';

// What the three APIs say of one thing is one piece. What one API alone says is tested with its histories and its answers.

const text = (words: string) => ({ type: 'content', part: { type: 'text', text: words } });
const image = (url: string) => ({ type: 'content', part: { type: 'image', url } });
/** Without what is there to be set aside. */
const told = ({ pieces }: ReadMessage) => pieces.map((piece) => without(piece));
const without = (piece: Piece): unknown => {
  if (piece.type === 'call') return { type: 'call', id: piece.id, name: piece.name, arguments: piece.arguments };
  if (piece.type !== 'result') return piece;
  const { toolCallId, content, isError } = piece;
  return { type: 'result', toolCallId, content, isError };
};
const chat = (message: object) => told(readChatMessage(message));
const item = (fields: object) => told(readResponsesItem(fields));
const messages = (role: string, ...content: unknown[]) => told(readAnthropicMessage({ role, content }));

describe('a call', () => {
  const call = (text: string) => [{ type: 'call', id: 'c', name: 'files.read', arguments: text }];
  const inChat = (args: unknown) => ({
    role: 'assistant',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'files.read', arguments: args } }],
  });
  const inMessages = (input: unknown) => ({ type: 'tool_use', id: 'c', name: 'files.read', input });
  const inItems = (args: unknown) => ({ type: 'function_call', call_id: 'c', name: 'files.read', arguments: args });

  it.each([
    ['an object', { path: 'a' }, '{"path":"a"}'],
    ['text, to the byte', '{ "path": "a" }', '{ "path": "a" }'],
    ['text that does not parse', '{"path":', '{"path":'],
    ['nothing', undefined, '{}'],
  ])('keeps its name, and has arguments as JSON text: %s', (_, given, expected) => {
    expect(chat(inChat(given))).toEqual(call(expected));
    expect(messages('assistant', inMessages(given))).toEqual(call(expected));
    expect(item(inItems(given))).toEqual(call(expected));
  });

  it('of a custom tool has its text as the field `input`, unless the text is an object', () => {
    const custom = (input: string) => ({
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'files.read', input } }],
    });
    const customItem = (input: string) => ({ type: 'custom_tool_call', call_id: 'c', name: 'files.read', input });
    expect(chat(custom('*** Begin'))).toEqual(call('{"input":"*** Begin"}'));
    expect(item(customItem('*** Begin'))).toEqual(call('{"input":"*** Begin"}'));
    expect(item(customItem(''))).toEqual(call('{"input":""}'));
    expect(item(customItem('{"path":"a"}'))).toEqual(call('{"path":"a"}'));
  });

  it('without an id or a name has none', () => {
    const bare = [{ type: 'call', id: undefined, name: undefined, arguments: '{}' }];
    expect(chat({ role: 'assistant', tool_calls: [{ type: 'function', function: {} }] })).toEqual(bare);
    expect(messages('assistant', { type: 'tool_use' })).toEqual(bare);
    expect(item({ type: 'function_call' })).toEqual(bare);
  });
});

describe('a result', () => {
  const url = 'data:image/png;base64,iVBO';
  const result = (...content: unknown[]) => [{ type: 'result', toolCallId: 'c', content, isError: false }];

  it('has words and images in their order', () => {
    const expected = result(text('a'), image(url));
    const part = { type: 'image_url', image_url: { url } };
    expect(chat({ role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'a' }, part] })).toEqual(expected);
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBO' };
    const blocks = [
      { type: 'text', text: 'a' },
      { type: 'image', source },
    ];
    expect(messages('user', { type: 'tool_result', tool_use_id: 'c', content: blocks })).toEqual(expected);
    const parts = [
      { type: 'input_text', text: 'a' },
      { type: 'input_image', image_url: url },
    ];
    expect(item({ type: 'function_call_output', call_id: 'c', output: parts })).toEqual(expected);
    expect(item({ type: 'function_call_result', callId: 'c', output: parts })).toEqual(expected);
  });

  it('may have failed', () => {
    const failed = [{ type: 'result', toolCallId: 'c', content: [text('no')], isError: true }];
    expect(messages('user', { type: 'tool_result', tool_use_id: 'c', content: 'no', is_error: true })).toEqual(failed);
    expect(chat({ role: 'tool', tool_call_id: 'c', content: 'no', is_error: true })).toEqual(failed);
    const output = { type: 'error-text', value: 'no' };
    expect(chat({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', output }] })).toEqual(failed);
  });

  it('has the text of a document, and the document beside it', () => {
    const document = { type: 'document', title: 'T', source: { type: 'text', data: 'words' } };
    const standIn = (words: string) => ({ ...text(words), isStandIn: true });
    const unread = { type: 'unread', path: 'content.0.content.0', reason: 'it is sent as text', value: document };
    expect(messages('user', { type: 'tool_result', tool_use_id: 'c', content: [document] })).toEqual(
      result(unread, standIn('T'), standIn('words')),
    );
  });
});

describe('a tool with item types of its own', () => {
  const shell = { type: 'local_shell_call', id: 'l', call_id: 'c', status: 'completed', action: { command: ['ls'] } };

  it('is named by its type, and its fields are its input', () => {
    expect(readResponsesItem(shell).pieces).toMatchObject([
      {
        type: 'call',
        id: 'c',
        itemId: 'l',
        name: 'local_shell',
        arguments: '{"action":{"command":["ls"]}}',
        isOwnTool: true,
      },
    ]);
    expect(readResponsesItem({ type: 'local_shell_call_output', call_id: 'c', output: 'a' }).pieces).toMatchObject([
      { type: 'result', toolCallId: 'c', content: [text('a')], isOwnTool: true },
    ]);
  });

  it('that the provider runs is unread, and a part of the answer', () => {
    expect(readResponsesItem({ type: 'web_search_call', id: 'w' })).toMatchObject({
      role: 'assistant',
      pieces: [{ type: 'unread', path: '' }],
    });
  });
});

it.each([
  [readAnthropicMessage, { role: 'user', content: 7 }],
  [readChatMessage, { role: 'user', content: 7 }],
  [readResponsesItem, { role: 'user', content: 7 }],
])('content of no API is kept: %o', (read, message) => {
  expect(read(message).pieces).toEqual([
    { type: 'unread', path: 'content', reason: 'content is neither text nor a list of parts', value: 7 },
  ]);
});

it.each([null, undefined, 7, 'text', {}, { role: 'narrator' }, []])('what is no message is kept: %j', (value) => {
  for (const read of [readAnthropicMessage, readChatMessage, readResponsesItem]) {
    const { role, pieces } = read(value);
    expect(role).toBeUndefined();
    expect(pieces).toEqual([{ type: 'unread', path: '', reason: expect.any(String) as string, value }]);
  }
});
