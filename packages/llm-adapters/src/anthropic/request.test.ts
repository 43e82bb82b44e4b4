import type { Message, ToolMessage } from '@palimpsest/events';
import { anthropicServer } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InvalidRequestError } from '../errors.js';
import { failedSilently, noWords, pleaseGoOn, startOfConversation } from '../wire/sendable-message.js';
import { anthropicLLM } from './llm.js';
import { toMessagesRequest } from './request.js';
import type { MessagesOptions } from './request.js';

const model = 'claude-opus-5-5';
const text = (words: string) => ({ type: 'text' as const, text: words });
const user = (...words: string[]): Message => ({ role: 'user', content: words.map(text) });
const assistant = (...words: string[]): Message => ({ role: 'assistant', content: words.map(text) });
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: [],
  toolCalls: ids.map((id) => ({ id, name: 'run', arguments: '{"command":"ls"}' })),
});
const result = (toolCallId: string, fields: Partial<ToolMessage> = {}): Message => ({
  role: 'tool',
  toolCallId,
  toolName: 'run',
  content: [text('ok')],
  ...fields,
});
const tools = [{ name: 'run', description: 'Runs a command.', inputSchema: { type: 'object', properties: {} } }];
const sent = (...messages: Message[]) => toMessagesRequest({ messages }, { model }).messages;

describe('toMessagesRequest', () => {
  it('gives the whole body of an agent turn', () => {
    const body = toMessagesRequest(
      {
        messages: [
          { role: 'system', content: [text('Be short.'), text('Today is Monday.')] },
          user('List the files.'),
          calls('a', 'b'),
          result('b', { isError: true, content: [text('no such folder')] }),
          result('a', { content: [] }),
          user('And?'),
        ],
        tools,
        toolChoice: 'required',
        maxOutputTokens: 500,
        responseFormat: { name: 'answer', schema: { type: 'object', properties: {} } },
      },
      { model },
    );
    expect(body).toEqual({
      model,
      max_tokens: 500,
      system: [text('Be short.'), text('Today is Monday.')],
      messages: [
        { role: 'user', content: [text('List the files.')] },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'a', name: 'run', input: { command: 'ls' } },
            { type: 'tool_use', id: 'b', name: 'run', input: { command: 'ls' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'b', content: [text('no such folder')], is_error: true },
            { type: 'tool_result', tool_use_id: 'a' },
            text('And?'),
            text('(Call one of the tools now.)'),
          ],
        },
      ],
      tools: [{ name: 'run', description: 'Runs a command.', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'auto' },
      output_config: {
        format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } },
      },
    });
  });

  it('merges neighbours of one role and leaves blank text out', () => {
    expect(sent(user('a', ' '), user(''), user('b'), assistant('c'), assistant('', 'd'), user('e'))).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: [text('c'), text('d')] },
      { role: 'user', content: [text('e')] },
    ]);
  });

  it('keeps asking the model to go on where it did, since what it then thought is bound to that', () => {
    const thought: Message = {
      role: 'assistant',
      content: [text('c')],
      thinkingBlocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }],
    };
    const one = sent(user('a'), assistant('b'));
    const two = sent(user('a'), assistant('b'), thought);
    expect(one.at(-1)).toEqual({ role: 'user', content: [text(pleaseGoOn)] });
    expect(two.slice(0, one.length)).toEqual(one);
    expect(two[3]).toMatchObject({ role: 'assistant', content: [{ type: 'thinking' }, text('c')] });
  });

  it('takes calls of two neighbours for one batch', () => {
    const [, answer] = sent(user('a'), calls('1'), calls('2'), result('1'), result('2'));
    expect(answer?.content).toMatchObject([{ id: '1' }, { id: '2' }]);
  });

  it('has models that take it continue the answer, without white space at its end', () => {
    const old = (...messages: Message[]) => toMessagesRequest({ messages }, { model: 'claude-haiku-4-5' }).messages;
    expect(old(user('a'), assistant('The answer is \n')).at(-1)).toEqual({
      role: 'assistant',
      content: [text('The answer is')],
    });
    expect(old(user('a'), assistant('b'), assistant('c')).at(-1)?.content).toEqual([text('b'), text('c')]);
    const thinking = toMessagesRequest(
      { messages: [user('a'), assistant('b')] },
      { model: 'claude-haiku-4-5', thinking: 'on' },
    );
    expect(thinking.messages.at(-1)).toEqual({ role: 'user', content: [text(pleaseGoOn)] });
  });

  it('leaves instructions among the messages where they are, after the words of the user there', () => {
    const system = (words: string): Message => ({ role: 'system', content: [text(words)] });
    const messages = [system('Be short.'), user('a'), assistant('b'), system('Be long.'), user('c'), assistant('d')];
    const body = toMessagesRequest({ messages: [...messages, system('Stop soon.')] }, { model });
    expect(body.system).toEqual([text('Be short.')]);
    expect(body.messages.slice(2)).toEqual([
      { role: 'user', content: [text('c')] },
      { role: 'system', content: [text('Be long.')] },
      { role: 'assistant', content: [text('d')] },
      { role: 'user', content: [text(pleaseGoOn)] },
      { role: 'system', content: [text('Stop soon.')] },
    ]);
    const older = toMessagesRequest({ messages }, { model: 'claude-opus-4-7' });
    expect(older.system).toEqual([text('Be short.'), text('Be long.')]);
    expect(older.messages.map(({ role }) => role)).not.toContain('system');
  });

  it('begins and ends with the user', () => {
    expect(sent()).toEqual([{ role: 'user', content: [text(startOfConversation)] }]);
    expect(sent(assistant('Hello.'))).toEqual([
      { role: 'user', content: [text(startOfConversation)] },
      { role: 'assistant', content: [text('Hello.')] },
      { role: 'user', content: [text(pleaseGoOn)] },
    ]);
  });

  it('replays signed and opaque thinking as rendered, and none without a signature', () => {
    const thinkingBlocks = [
      { type: 'thinking' as const, thinking: '', signature: 'sig' },
      { type: 'thinking' as const, thinking: 'of another provider' },
      { type: 'redacted-thinking' as const, data: 'xyz' },
    ];
    const thought: Message = { role: 'assistant', content: [text('Hm.')], thinkingBlocks };
    const wire = [
      { type: 'thinking', thinking: '', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
    ];
    expect(sent(user('a'), thought, user('b'))[1]?.content).toEqual([...wire, text('Hm.')]);
    expect(sent(user('a'), { ...thought, content: [] }, user('b'))[1]?.content).toEqual([...wire, text(noWords)]);
    const off = toMessagesRequest({ messages: [user('a'), thought, user('b')] }, { model: 'claude-opus-4-5' });
    expect(off.messages[1]?.content).toEqual([text('Hm.')]);
  });

  it('says something for an error that says nothing, and keeps images out of errors', () => {
    const image = { type: 'image' as const, url: 'data:image/png;base64,iVBO' };
    const wire = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } };
    expect(
      sent(
        user('a'),
        calls('1', '2'),
        result('1', { content: [], isError: true }),
        result('2', { content: [image, text('x')], isError: true }),
      )[2]?.content,
    ).toEqual([
      { type: 'tool_result', tool_use_id: '1', content: [text(failedSilently)], is_error: true },
      { type: 'tool_result', tool_use_id: '2', content: [text('x')], is_error: true },
      wire,
    ]);
    expect(sent(user('a'), calls('1'), result('1', { content: [image] }))[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: '1', content: [wire] },
    ]);
    const https = { type: 'image' as const, url: 'https://example.org/a.png' };
    expect(sent({ role: 'user', content: [https] })[0]?.content).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
    ]);
  });

  it('declares tools that only the history knows, and lets none be called', () => {
    const body = toMessagesRequest({ messages: [user('a'), calls('1'), result('1'), user('Sum up.')] }, { model });
    expect(body.tools).toEqual([{ name: 'run', input_schema: { type: 'object' } }]);
    expect(body.tool_choice).toEqual({ type: 'none' });
    expect(toMessagesRequest({ messages: [user('a')] }, { model })).not.toHaveProperty('tools');
  });

  it('gives tools, choice and history the same name that can be sent', () => {
    const messages: Message[] = [
      user('a'),
      { role: 'assistant', content: [], toolCalls: [{ id: '1', name: 'files.read', arguments: 'not JSON' }] },
      result('1'),
    ];
    const named = [{ name: 'files.read', description: ' ', inputSchema: {} }];
    const body = toMessagesRequest({ messages, tools: named, toolChoice: { tool: 'files.read' } }, { model });
    const name = expect.stringMatching(/^files_read_[0-9a-f]{16}$/) as string;
    expect(body.tools).toEqual([{ name, input_schema: { type: 'object' } }]);
    expect(body.messages.at(-1)?.content).toContainEqual({
      type: 'text',
      text: expect.stringMatching(/^\(Call the tool `files_read_[0-9a-f]{16}` now\.\)$/) as string,
    });
    const older = toMessagesRequest(
      { messages, tools: named, toolChoice: { tool: 'files.read' } },
      { model: 'claude-opus-4-8' },
    );
    expect(older.tool_choice).toEqual({ type: 'tool', name });
    expect(body.messages[1]?.content).toEqual([
      { type: 'tool_use', id: '1', name, input: { unparsed_arguments: 'not JSON' } },
    ]);
  });

  it('leaves a list broken that is broken: the provider must see it', () => {
    expect(sent(user('a'), calls('1'), user('b'))[1]?.content).toMatchObject([{ type: 'tool_use', id: '1' }]);
    expect(sent(user('a'), assistant('b'), result('1'))[2]?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: '1' },
    ]);
  });

  it('refuses two tools of one name', () => {
    expect(() => toMessagesRequest({ messages: [user('a')], tools: [...tools, ...tools] }, { model })).toThrow(
      InvalidRequestError,
    );
  });
});

const question = (words: string): Message => ({ role: 'user', content: [{ type: 'text', text: words }] });
const limitOf = (options: MessagesOptions, words = 'Go.') =>
  toMessagesRequest({ messages: [question(words)] }, options).max_tokens;

it.each([
  ['claude-opus-5-5', 128_000],
  ['claude-haiku-4-5', 64_000],
  ['claude-3-5-haiku', 8_192],
  ['claude-of-tomorrow', 16_000],
])('the limit of an answer is the model’s own: %s, %d tokens', (model, tokens) => {
  expect(limitOf({ model })).toBe(tokens);
});

it('is lowered to what the window leaves, and never below what condensers reserve', () => {
  const words = 'word '.repeat(125_000);
  const left = limitOf({ model: 'claude-haiku-4-5' }, words);
  expect(left).toBeLessThan(64_000);
  expect(left).toBeGreaterThan(30_000);
  expect(limitOf({ model: 'claude-haiku-4-5', contextWindow: 20_000 }, words)).toBe(2_500);
  expect(limitOf({ model: 'claude-haiku-4-5', contextWindow: 100_000 }, words)).toBe(4_096);
  // What is set stays, up to the model's own.
  expect(limitOf({ model: 'claude-haiku-4-5', maxOutputTokens: 100_000 }, words)).toBe(64_000);
});

it('does not change the budget of thinking as the history grows, which would void the cache', () => {
  const budgets = ['Go.', 'word '.repeat(125_000)].map(
    (words) =>
      toMessagesRequest({ messages: [question(words)] }, { model: 'claude-haiku-4-5', thinking: 'on' }).thinking,
  );
  expect(budgets[0]).toEqual(budgets[1]);
});

it('may be long whether anybody listens or not, because every request is streamed', async () => {
  const server = await anthropicServer({ reply: () => ({ content: [{ type: 'text', text: 'Hello.' }] }) });
  onTestFinished(() => server.close());
  const llm = anthropicLLM({ model: 'claude-opus-5-5', apiKey: 'key', baseURL: server.baseURL, effort: 'high' });
  await llm.complete({ messages: [question('Go.')], effort: 'low' });
  expect(server.requests[0]?.body).toMatchObject({
    max_tokens: 128_000,
    stream: true,
    output_config: { effort: 'low' },
  });
});
