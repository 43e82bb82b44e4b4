import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { ServiceUnavailableError } from '../../errors.js';
import { toolNames } from '../../wire/tool-names.js';
import { fromChatCompletion } from './response.js';

const tools = [{ name: 'files.read', description: '', inputSchema: {} }];
const request = { messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }], tools };
const prices = { input: 2, cacheRead: 0.1, cacheWrite: 2.5, output: 10 };
const usage = {
  prompt_tokens: 1_000,
  completion_tokens: 200,
  total_tokens: 1_200,
  prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
  completion_tokens_details: { reasoning_tokens: 150 },
};
/** A response as a server sends it, which the SDK's types promise more of than servers keep. */
const response = (message: object, fields: object = {}, finish_reason = 'stop') =>
  ({
    id: 'chatcmpl-1',
    model: 'gpt-4o-2024-08-06',
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
    usage,
    ...fields,
  }) as unknown as OpenAI.Chat.ChatCompletion;
const read = (value: OpenAI.Chat.ChatCompletion, options: object = {}) =>
  fromChatCompletion(value, { request, model: 'gpt-4o', ...options });

describe('fromChatCompletion', () => {
  it('gives words, calls, usage and cost', () => {
    const name = toolNames(request).toWire('files.read');
    const tool_calls = [{ id: 'call_1', type: 'function', function: { name, arguments: '{"path":"a"}' } }];
    expect(read(response({ content: 'I read.', tool_calls }, {}, 'tool_calls'), { prices })).toEqual({
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'I read.' }],
        toolCalls: [{ id: 'call_1', name: 'files.read', arguments: '{"path":"a"}' }],
      },
      providerResponseId: 'chatcmpl-1',
      usage: {
        uncachedInputTokens: 100,
        cacheReadTokens: 600,
        cacheWriteTokens: 300,
        outputTokens: 200,
        reasoningTokens: 150,
      },
      finishReason: 'tool-calls',
      model: 'gpt-4o-2024-08-06',
      costUsd: expect.closeTo((100 * 2 + 600 * 0.1 + 300 * 2.5 + 200 * 10) / 1e6, 12) as number,
    });
  });

  it('estimates the usage that a server does not report, says so, and gives no cost', () => {
    const completion = read(response({ content: 'Done.' }, { usage: null }), { prices });
    expect(completion.usage).toEqual({
      uncachedInputTokens: 10,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 6,
    });
    expect(completion.usageIsEstimated).toBe(true);
    expect(completion).not.toHaveProperty('costUsd');
  });

  it('makes up for what compatible servers leave out', () => {
    const called = { type: 'function', function: { name: 'run', arguments: { path: 'a' } } };
    let made = 0;
    const completion = read(
      response(
        {
          tool_calls: [
            { id: '', ...called },
            { id: '0', ...called },
            { id: '0', ...called },
          ],
        },
        { id: '', model: undefined },
      ),
      { newId: () => `id-${++made}` },
    );
    expect(completion.message.toolCalls?.map(({ id, arguments: text }) => [id, text])).toEqual([
      ['call_id1', '{"path":"a"}'],
      ['0', '{"path":"a"}'],
      ['call_id2', '{"path":"a"}'],
    ]);
    expect(completion).toMatchObject({ model: 'gpt-4o', finishReason: 'tool-calls' });
    expect(completion).not.toHaveProperty('providerResponseId');
  });

  it('keeps unsigned reasoning and refusals', () => {
    expect(read(response({ content: 'Yes.', reasoning_content: 'Hm.' })).message.reasoningContent).toBe('Hm.');
    expect(read(response({ refusal: 'I will not.' }))).toMatchObject({
      message: { content: [{ type: 'text', text: 'I will not.' }] },
      finishReason: 'content-filter',
    });
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['eos_token', 'stop'],
    ['COMPLETE', 'stop'],
    ['model_length', 'length'],
    ['SAFETY', 'content-filter'],
    ['abort', 'interrupted'],
    ['EOS', 'stop'],
    ['end_turn', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['cancelled', 'interrupted'],
    ['error', 'interrupted'],
    ['insufficient_room', 'other'],
  ])('ends with %s as %s', (wire, neutral) =>
    expect(read(response({ content: 'x' }, {}, wire)).finishReason).toBe(neutral),
  );

  it.each([{}, { choices: [] }, null, '<html>'])('refuses %j, which is no answer', (value) => {
    expect(() => read(value as unknown as OpenAI.Chat.ChatCompletion)).toThrow(ServiceUnavailableError);
  });
});
