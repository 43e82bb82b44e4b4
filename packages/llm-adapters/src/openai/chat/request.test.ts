import type { Message, ToolMessage } from '@palimpsest/events';
import { checkChatCompletionsRequest } from '@palimpsest/provider-servers/rules';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../errors.js';
import type { Effort } from '../../models/model-facts.js';
import { failedSilently, startOfConversation } from '../../wire/sendable-message.js';
import { serverProfile } from '../server-profile.js';
import type { ServerName } from '../server-profile.js';
import { toResponsesRequest } from '../responses/request.js';
import { toChatCompletionsRequest } from './request.js';

const model = 'gpt-4o';
const text = (words: string) => ({ type: 'text' as const, text: words });
const image = (url: string) => ({ type: 'image' as const, url });
const user = (...words: string[]): Message => ({ role: 'user', content: words.map(text) });
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: [],
  toolCalls: ids.map((id) => ({ id, name: 'run', arguments: '{"command": "ls"}' })),
});
const result = (toolCallId: string, fields: Partial<ToolMessage> = {}): Message => ({
  role: 'tool',
  toolCallId,
  toolName: 'run',
  content: [text('ok')],
  ...fields,
});
const tools = [{ name: 'run', description: 'Runs a command.', inputSchema: { type: 'object', properties: {} } }];
const sent = (...messages: Message[]) => toChatCompletionsRequest({ messages }, { model }).messages;

describe('a history with calls and a request without tools', () => {
  const messages = [user('Go.'), calls('a'), result('a')];

  it('declares the tools by name, and none may be called', () => {
    const body = toChatCompletionsRequest({ messages }, { model, parallelToolCalls: true });
    const standIn = { name: 'run', description: '', parameters: { type: 'object', properties: {} } };
    expect(body).toMatchObject({ tools: [{ type: 'function', function: standIn }], tool_choice: 'none' });
    expect(checkChatCompletionsRequest(body)).toEqual([]);
    expect(toChatCompletionsRequest({ messages: [user('Go.')] }, { model }).tools).toBeUndefined();
    expect(toChatCompletionsRequest({ messages, tools, toolChoice: 'auto' }, { model })).toMatchObject({
      tools: [{ function: { description: 'Runs a command.' } }],
      tool_choice: 'auto',
    });
  });

  it('sends the effort of the request, and refuses one that the model does not take', () => {
    const messages = [user('a')];
    const body = (name: string, effort: Effort) =>
      toChatCompletionsRequest({ messages, effort }, { model: name, effort: 'low', server: serverProfile('openai') });
    expect(body('gpt-6-sol', 'max').reasoning_effort).toBe('max');
    expect(toResponsesRequest({ messages, effort: 'max' }, { model: 'gpt-6-sol' }).reasoning).toEqual({
      effort: 'max',
    });
    expect(() => body('gpt-6.2-sol', 'none')).toThrow(
      "takes the effort minimal, low, medium, high, xhigh, max, not 'none'",
    );
    expect(() => body('gpt-4o', 'high')).toThrow(InvalidRequestError);
    expect(() => toResponsesRequest({ messages }, { model: 'o3', effort: 'max' })).toThrow('takes the effort low');
    // Nothing is known of the efforts of another server's model.
    const elsewhere = { model: 'gpt-4o', server: serverProfile('openrouter') };
    expect(toChatCompletionsRequest({ messages, effort: 'high' }, elsewhere).reasoning_effort).toBe('high');
  });

  it('asks a model for no effort that takes tools only so, whatever was asked for', () => {
    for (const name of ['gpt-6-sol', 'gpt-5.5', 'gpt-6.2-sol']) {
      const body = toChatCompletionsRequest({ messages }, { model: name, effort: 'high' });
      expect(checkChatCompletionsRequest(body), name).toEqual([]);
    }
    expect(toChatCompletionsRequest({ messages }, { model: 'gpt-6.2-sol' }).tools).toBeUndefined();
  });

  it('declares as many as the provider takes', () => {
    const many = Array.from({ length: 200 }, (_, index) => `call_${index}`).flatMap((id) => [
      { role: 'assistant' as const, content: [], toolCalls: [{ id, name: `tool-${id}`, arguments: '{}' }] },
      result(id, { toolName: `tool-${id}` }),
    ]);
    expect(checkChatCompletionsRequest(toChatCompletionsRequest({ messages: many }, { model }))).toEqual([]);
  });

  it('does not for local servers, which check nothing and would let the model call', () => {
    for (const server of ['ollama', 'vllm', 'strict-template'] as const) {
      const body = toChatCompletionsRequest({ messages }, { model, server: serverProfile(server) });
      expect([body.tools, body.tool_choice]).toEqual([undefined, undefined]);
    }
  });
});

describe('toChatCompletionsRequest', () => {
  it('gives the whole body of an agent turn', () => {
    const body = toChatCompletionsRequest(
      {
        messages: [
          { role: 'system', content: [text('Be short.'), text('Today is Monday.')] },
          user('List the files.'),
          calls('a', 'b'),
          result('b', { isError: true, content: [text('no such folder')] }),
          result('a', { content: [] }),
          user('And?', ' '),
        ],
        tools,
        toolChoice: { tool: 'run' },
        maxOutputTokens: 500,
        cache: { key: 'conversation-1' },
        responseFormat: { name: 'the answer', schema: { type: 'object', properties: {} } },
      },
      { model },
    );
    const call = { type: 'function', function: { name: 'run', arguments: '{"command": "ls"}' } };
    expect(body).toEqual({
      model,
      max_completion_tokens: 500,
      messages: [
        { role: 'system', content: 'Be short.\n\nToday is Monday.' },
        { role: 'user', content: 'List the files.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'a', ...call },
            { id: 'b', ...call },
          ],
        },
        { role: 'tool', tool_call_id: 'b', content: 'no such folder' },
        { role: 'tool', tool_call_id: 'a', content: '' },
        { role: 'user', content: 'And?' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'run', description: 'Runs a command.', parameters: { type: 'object', properties: {} } },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'run' } },
      prompt_cache_key: 'conversation-1',
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'the_answer',
          schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
          strict: true,
        },
      },
    });
  });

  it('sends images in parts, and those of results in a user message after the batch', () => {
    const data = 'data:image/png;base64,iVBO';
    expect(
      sent(
        { role: 'user', content: [text('Look.'), image('https://example.org/a.png'), image('a.png')] },
        calls('1', '2'),
        result('1', { content: [image(data)] }),
        result('2'),
        { role: 'assistant', content: [text('I see.'), image(data)] },
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          text('Look.'),
          { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
          text('(An image is not shown here: its address is neither https: nor data:.)'),
        ],
      },
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', tool_call_id: '1', content: '(An image is not shown here: it follows the results.)' },
      { role: 'tool', tool_call_id: '2', content: 'ok' },
      { role: 'user', content: [text('(From the result of run:)'), { type: 'image_url', image_url: { url: data } }] },
      { role: 'assistant', content: 'I see.\n\n(An image is not shown here: it stands where only text can.)' },
    ]);
  });

  it('leaves out what says nothing, but never everything', () => {
    expect(sent(user(' '), { role: 'assistant', content: [], reasoningContent: 'Hm.' })).toEqual([
      { role: 'user', content: startOfConversation },
    ]);
  });

  it('leaves blank text out beside an image, and finds the signature of a call that stands behind it', () => {
    const url = 'https://example.org/a.png';
    const [asked] = sent({ role: 'user', content: [text(' '), image(url), text('What?')] });
    expect(asked?.content).toEqual([
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: 'What?' },
    ]);
    const thinkingBlocks = [{ type: 'thinking' as const, thinking: '', signature: 'abc', position: 1 }];
    const signed: Message = { ...calls('a'), content: [text(' ')], thinkingBlocks } as Message;
    const body = toChatCompletionsRequest(
      { messages: [user('Go.'), signed, result('a')], tools },
      { model, server: serverProfile('gemini') },
    );
    expect(JSON.stringify(body.messages[1])).toContain('"thought_signature":"abc"');
  });

  it('wraps arguments that are no object, and says something for an error that says nothing', () => {
    const call: Message = { role: 'assistant', content: [], toolCalls: [{ id: '1', name: 'run', arguments: 'ls' }] };
    expect(sent(call, result('1', { content: [], isError: true }))).toMatchObject([
      { tool_calls: [{ function: { arguments: '{"unparsed_arguments":"ls"}' } }] },
      { content: failedSilently },
    ]);
  });

  it('gives long ids and other names a form that can be sent', () => {
    const id = 'x'.repeat(41);
    const [assistant, tool] = sent(
      { role: 'assistant', content: [], toolCalls: [{ id, name: 'files.read', arguments: '{}' }] },
      result(id),
    );
    const sentId = expect.stringMatching(/^call_[0-9a-f]{16}$/) as string;
    expect(assistant).toMatchObject({
      tool_calls: [{ id: sentId, function: { name: expect.stringMatching(/^files_read_/) } }],
    });
    expect(tool).toMatchObject({ tool_call_id: sentId });
  });

  it('limits the answer in the words that the server knows', () => {
    const limit = (name: string, server: ServerName) => {
      const { max_tokens, max_completion_tokens } = toChatCompletionsRequest(
        { messages: [user('a')] },
        { model: name, maxOutputTokens: 9, server: serverProfile(server) },
      );
      return { max_tokens, max_completion_tokens };
    };
    expect(limit('gpt-4o', 'openai')).toEqual({ max_completion_tokens: 9 });
    expect(limit('qwen3', 'compatible')).toEqual({ max_tokens: 9 });
    expect(limit('openai/gpt-6-luna', 'openrouter')).toEqual({ max_completion_tokens: 9 });
    expect(limit('o4-mini', 'compatible')).toEqual({ max_completion_tokens: 9 });
  });

  it.each([
    ['gpt-4o', undefined],
    ['gpt-5', undefined],
    ['gpt-5.2', undefined],
    ['gpt-5.4-mini', 'none'],
    ['gpt-5.6-terra', 'none'],
    ['gpt-6-luna', 'none'],
    ['gpt-6.1-terra', 'none'],
    ['gpt-6-astra', undefined],
    ['gpt-6.1-sol', undefined],
    ['gpt-6.2-sol', undefined],
    ['qwen3', undefined],
  ])('sends %s tools with the effort %s', (name, effort) => {
    const options = { model: name };
    expect(toChatCompletionsRequest({ messages: [user('a')], tools }, options).reasoning_effort).toBe(effort);
    expect(toChatCompletionsRequest({ messages: [user('a')] }, options)).not.toHaveProperty('reasoning_effort');
  });

  it('keeps cache keys within 64 characters, and refuses two tools of one name', () => {
    const body = toChatCompletionsRequest({ messages: [user('a')], cache: { key: 'x'.repeat(65) } }, { model });
    expect(body.prompt_cache_key).toMatch(/^[0-9a-f]{16}$/);
    expect(() => toChatCompletionsRequest({ messages: [], tools: [...tools, ...tools] }, { model })).toThrow(
      InvalidRequestError,
    );
  });
});
