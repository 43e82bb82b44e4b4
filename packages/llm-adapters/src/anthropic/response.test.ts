import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { ContextWindowExceededError, ServiceUnavailableError } from '../errors.js';
import { unnamedToolName } from '../wire/pieces.js';
import { toolNames } from '../wire/tool-names.js';
import { fromMessage } from './response.js';

const request = { messages: [], tools: [{ name: 'files.read', description: '', inputSchema: {} }] };
const usage = {
  input_tokens: 100,
  cache_read_input_tokens: 600,
  cache_creation_input_tokens: 300,
  output_tokens: 200,
  output_tokens_details: { thinking_tokens: 150 },
};
/** A response as the server sends it. */
const response = (content: unknown, stop_reason = 'end_turn', fields: object = {}) =>
  ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content,
    stop_reason,
    usage,
    ...fields,
  }) as Anthropic.Message;

describe('fromMessage', () => {
  it.each([[''], [undefined], [null]])(
    'takes an answer whose id is %j: servers that imitate Anthropic send none',
    (id) => {
      const completion = fromMessage(response([{ type: 'text', text: 'Hi.' }], 'end_turn', { id }), { request });
      expect(completion.message.content).toEqual([{ type: 'text', text: 'Hi.' }]);
      expect(completion).not.toHaveProperty('providerResponseId');
    },
  );

  it('gives thinking, words, calls, usage and cost', () => {
    const name = toolNames(request).toWire('files.read');
    const completion = fromMessage(
      response(
        [
          { type: 'thinking', thinking: '', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xyz' },
          { type: 'text', text: 'I read.' },
          { type: 'text', text: '' },
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
          { type: 'tool_use', id: 'toolu_1', name, input: { path: 'a' } },
        ],
        'tool_use',
      ),
      { request, prices: { input: 4, cacheRead: 0.2, cacheWrite: 5, output: 20 } },
    );
    expect(completion).toEqual({
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'I read.' }],
        toolCalls: [{ id: 'toolu_1', name: 'files.read', arguments: '{"path":"a"}' }],
        thinkingBlocks: [
          { type: 'thinking', thinking: '', signature: 'sig' },
          { type: 'redacted-thinking', data: 'xyz' },
        ],
      },
      callStates: ['parsed'],
      providerResponseId: 'msg_1',
      usage: {
        uncachedInputTokens: 100,
        cacheReadTokens: 600,
        cacheWriteTokens: 300,
        outputTokens: 200,
        reasoningTokens: 150,
      },
      finishReason: 'tool-calls',
      model: 'claude-opus-5-5',
      costUsd: expect.closeTo((100 * 4 + 600 * 0.2 + 300 * 5 + 200 * 20) / 1e6, 12) as number,
    });
  });

  it('takes counts that are null as none', () => {
    const bare = {
      input_tokens: 5,
      cache_read_input_tokens: null,
      cache_creation_input_tokens: null,
      output_tokens: 1,
      output_tokens_details: null,
    };
    expect(fromMessage(response([], 'end_turn', { usage: bare }), { request }).usage).toEqual({
      uncachedInputTokens: 5,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 1,
    });
  });

  it('estimates what a server of this protocol does not count, and puts no price on it', () => {
    const completion = fromMessage(response([{ type: 'text', text: '12345678' }], 'end_turn', { usage: undefined }), {
      request,
      prices: { input: 4, cacheRead: 0.2, cacheWrite: 5, output: 20 },
    });
    expect(completion).toMatchObject({ usageIsEstimated: true, usage: { outputTokens: 7 } });
    expect(completion).not.toHaveProperty('costUsd');
  });

  it('says where thinking stood between words and calls, and leaves blank words out', () => {
    const { message } = fromMessage(
      response([
        { type: 'thinking', thinking: 'one', signature: '1' },
        { type: 'text', text: ' \n' },
        { type: 'thinking', thinking: 'two', signature: '2' },
        { type: 'text', text: 'Hm.' },
        { type: 'redacted_thinking', data: 'x' },
        { type: 'tool_use', id: 'toolu_1', name: 'run', input: {} },
        { type: 'thinking', thinking: 'three', signature: '3' },
        { type: 'tool_use', id: 'toolu_2', name: 'run', input: {} },
      ]),
      { request },
    );
    expect(message.content).toEqual([{ type: 'text', text: 'Hm.' }]);
    expect(message.thinkingBlocks).toEqual([
      { type: 'thinking', thinking: 'one', signature: '1' },
      { type: 'thinking', thinking: 'two', signature: '2' },
      { type: 'redacted-thinking', data: 'x', position: 1 },
      { type: 'thinking', thinking: 'three', signature: '3', position: 2 },
    ]);
  });

  it('reads calls that lack what a call has, as servers of others send them', () => {
    const { message } = fromMessage(
      response([{ type: 'tool_use' }, { type: 'tool_use', id: 'toolu_1', name: '', input: '{"a":1}' }], 'tool_use'),
      { request },
    );
    expect(message.toolCalls).toEqual([
      { id: expect.stringMatching(/^toolu_\w+$/), name: unnamedToolName, arguments: '{}' },
      { id: 'toolu_1', name: unnamedToolName, arguments: '{"a":1}' },
    ]);
  });

  it('pays for writes of an hour what they cost', () => {
    const counted = { ...usage, cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 } };
    const { costUsd } = fromMessage(response([], 'end_turn', { usage: counted }), {
      request,
      prices: { input: 4, cacheRead: 0.2, cacheWrite: 5, cacheWriteByTtl: { '1h': 8 }, output: 20 },
    });
    expect(costUsd).toBeCloseTo((100 * 4 + 600 * 0.2 + 100 * 5 + 200 * 8 + 200 * 20) / 1e6, 12);
  });

  it.each([
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['refusal', 'content-filter'],
    ['pause_turn', 'paused'],
  ])('ends with %s as %s', (wire, neutral) =>
    expect(fromMessage(response([], wire), { request }).finishReason).toBe(neutral),
  );

  it('throws when the window is full, since a shorter answer would not help', () => {
    const read = () =>
      fromMessage(response([{ type: 'text', text: 'Half' }], 'model_context_window_exceeded'), { request });
    expect(read).toThrow(ContextWindowExceededError);
    expect(read).toThrow(expect.objectContaining({ kind: 'input', inputTokens: 1_000, statusCode: 200 }));
  });

  it.each([{}, null, '<html>'])('refuses %j, which is no message', (value) => {
    expect(() => fromMessage(value as unknown as Anthropic.Message, { request })).toThrow(ServiceUnavailableError);
  });
});
