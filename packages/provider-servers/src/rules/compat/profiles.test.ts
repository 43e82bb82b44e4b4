import { describe, expect, it, onTestFinished } from 'vitest';
import type { CompatProfileName } from './profile.js';
import { frames, post } from '../../../test-support/openai-client.js';
import { openaiServer } from '../../servers/openai/server.js';
import type { OpenAIServerOptions } from '../../servers/openai/server.js';
import type { JsonObject } from '../wire/wire-json.js';

// Raw requests: neither an adapter nor an SDK has touched them.

async function start(profile: CompatProfileName, options: Partial<OpenAIServerOptions> = {}) {
  const server = await openaiServer({ profile, reply: () => ({ message: { content: 'Yes.' } }), ...options });
  onTestFinished(() => server.close());
  return server;
}

const system = { role: 'system', content: 'Be short.' };
const user = { role: 'user', content: 'Go.' };
const said = { role: 'assistant', content: 'Yes.' };
const call = (id: string, fields: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'run', arguments: '{}' },
  ...fields,
});
const calls = (...tool_calls: unknown[]) => ({ role: 'assistant', content: '', tool_calls });
const result = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'ok' });
const signed = (id: string, thought_signature = 'signed-by-gemini-x') =>
  call(id, { extra_content: { google: { thought_signature } } });
const thinking = (message: object, reasoning_content = '') => ({ ...message, reasoning_content });

const body = (messages: readonly unknown[], fields: object = {}) => ({ model: 'some-model', messages, ...fields });

const taken: readonly (readonly [CompatProfileName, string, readonly unknown[]])[] = [
  ['mistral', 'results before an answer, ids of nine', [system, user, calls(call('abcdefgh1')), result('abcdefgh1')]],
  ['mistral', 'an answer to continue that says so', [user, { ...said, prefix: true }]],
  ['gemini', 'calls after the user, signed', [user, calls(signed('a'), call('b')), result('b'), result('a')]],
  ['gemini', 'calls of an earlier turn without signatures', [user, calls(call('a')), result('a'), said, user]],
  [
    'gemini',
    'the placeholder of a signature',
    [user, calls(signed('a', 'skip_thought_signature_validator')), result('a')],
  ],
  ['deepseek', 'calls with empty reasoning', [user, thinking(calls(call('a'))), result('a'), user]],
  ['deepseek', 'an answer without reasoning', [user, said, user]],

  ['vllm-qwen', 'instructions first', [system, user, calls(call('a')), result('a'), user]],
  ['strict-template', 'user and assistant in turn', [system, user, calls(call('a')), result('a'), said, user]],
  ['lmstudio-old', 'empty content', [user, calls(call('a')), result('a')]],
  [
    'ollama',
    'calls without results, ids and order',
    [calls(call('')), user, result('b'), { role: 'user', content: null }],
  ],
  ['openrouter', 'calls and results', [user, calls(call('a')), result('a')]],
  ['llama.cpp', 'instructions in the middle', [user, system, user]],
];

const refused: readonly (readonly [CompatProfileName, string, readonly unknown[], string])[] = [
  [
    'mistral',
    'the user after results',
    [user, calls(call('abcdefgh1')), result('abcdefgh1'), user],
    "Unexpected role 'user' after role 'tool'",
  ],
  ['mistral', 'the assistant last', [user, said], 'Expected last role User or Tool'],
  [
    'mistral',
    'an id of other length',
    [user, calls(call('call_1')), result('call_1')],
    'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
  ],
  [
    'gemini',
    'calls at the start',
    [system, calls(signed('a')), result('a')],
    'function call turn comes immediately after a user turn or after a function response turn.',
  ],
  ['gemini', 'more results than calls', [user, calls(signed('a')), result('a'), result('a')], 'already'],
  [
    'gemini',
    'calls without a signature',
    [user, calls(call('a')), result('a')],
    'Function call is missing a thought_signature in functionCall parts',
  ],
  [
    'gemini',
    'a second step without a signature',
    [user, calls(signed('a')), result('a'), calls(call('b')), result('b')],
    'Function call is missing a thought_signature in functionCall parts',
  ],
  [
    'deepseek',
    'calls without reasoning',
    [user, calls(call('a')), result('a'), user],
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
  ],
  ['vllm-qwen', 'instructions in the middle', [user, system, user], 'System message must be at the beginning.'],
  ['strict-template', 'the user twice', [user, user], 'conversation roles must alternate user and assistant roles'],
  ['strict-template', 'the user after results', [user, calls(call('a')), result('a'), user], 'must alternate'],
  ['strict-template', 'the assistant first', [system, said, user], 'must alternate'],
  [
    'lmstudio-old',
    'no content',
    [user, { ...calls(call('a')), content: null }, result('a')],
    "Invalid 'content': 'content' field must be a string or an array of objects.",
  ],
  ['openrouter', 'a result without a call', [user, result('a')], 'must be a response to a preceeding message'],
  ['llama.cpp', 'a call without a result', [user, calls(call('a')), user], 'must be followed by tool messages'],
];

describe('the profiles of openaiServer (section D)', () => {
  it.each(taken)('%s takes %s', async (profile, _what, messages) => {
    const { status, body: answer } = await post(await start(profile), '/chat/completions', body(messages));
    expect(answer).toHaveProperty('choices');
    expect(status).toBe(200);
  });

  it.each(refused)('%s refuses %s', async (profile, _what, messages, words) => {
    const { text, body: answer } = await post(await start(profile), '/chat/completions', body(messages));
    expect(answer).not.toHaveProperty('choices');
    expect(text).toContain(words);
  });

  it('deepseek knows JSON, where the prompt names it, and no schemas', async () => {
    const server = await start('deepseek');
    const refusalOf = async (messages: readonly unknown[], type: string) =>
      (await post(server, '/chat/completions', body(messages, { response_format: { type } }))).body;
    expect(await refusalOf([user], 'json_schema')).toMatchObject({
      error: { message: 'This response_format type is unavailable now' },
    });
    expect(await refusalOf([user], 'json_object')).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(await refusalOf([user, { role: 'user', content: 'As JSON.' }], 'json_object')).toHaveProperty('choices');
  });

  it.each<readonly [CompatProfileName, number, unknown]>([
    [
      'mistral',
      400,
      {
        object: 'error',
        type: 'invalid_request_error',
        message: expect.stringContaining('too large for model with 5'),
      },
    ],
    [
      'gemini',
      400,
      [
        {
          error: {
            code: 400,
            status: 'INVALID_ARGUMENT',
            message: expect.stringContaining('exceeds the maximum number'),
          },
        },
      ],
    ],
    [
      'deepseek',
      400,
      { error: { code: 'invalid_request_error', message: expect.stringContaining('maximum context length is 5') } },
    ],
    ['openrouter', 200, { error: { code: 400, message: expect.stringContaining("This endpoint's maximum context") } }],
    [
      'vllm-qwen',
      400,
      {
        object: 'error',
        type: 'BadRequestError',
        code: 400,
        message: expect.stringContaining('(parameter=input_tokens'),
      },
    ],
    ['llama.cpp', 400, { error: { code: 400, type: 'exceed_context_size_error', n_ctx: 5, n_prompt_tokens: 10 } }],
    ['strict-template', 400, { error: { type: 'exceed_context_size_error' } }],
    ['lmstudio-old', 400, { error: expect.stringContaining('when context the overflows') }],
  ])('%s says with %i that a request is too large', async (profile, status, shape) => {
    const answer = await post(await start(profile, { contextWindow: 5 }), '/chat/completions', body([user]));
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject(shape as object);
  });

  it('mistral is flat, with codes for order and ids', async () => {
    const { status, body: answer } = await post(await start('mistral'), '/chat/completions', body([user, said]));
    expect(status).toBe(400);
    expect(answer).toMatchObject({ object: 'error', type: 'invalid_request_message_order', code: '3230' });
  });

  it('mistral streams its usage unasked, in the chunk that ends the answer', async () => {
    const { text } = await post(await start('mistral'), '/chat/completions', body([user], { stream: true }));
    const [last] = frames(text).slice(-2);
    expect(last?.data).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { prompt_tokens: 10 } });
  });

  it('strict-template fails with 500', async () => {
    const { status, body: answer } = await post(await start('strict-template'), '/chat/completions', body([said]));
    expect(status).toBe(500);
    expect(answer).toMatchObject({ error: { code: 500, type: 'server_error' } });
  });

  it('openrouter says errors of others with 200, their words in metadata.raw, in a stream too', async () => {
    const server = await start('openrouter');
    const raw: unknown = expect.stringContaining('preceeding message');
    const shape = { error: { message: 'Provider returned error', code: 400, metadata: { raw } } };
    const whole = await post(server, '/chat/completions', body([user, result('a')]));
    expect(whole.status).toBe(200);
    expect(whole.body).toMatchObject(shape);
    const streamed = await post(server, '/chat/completions', body([user, result('a')], { stream: true }));
    expect(frames(streamed.text).map(({ data }) => data)).toMatchObject([shape, '[DONE]']);
  });

  it('gemini signs the first call of an answer, and takes the signature back', async () => {
    const message = { content: null, tool_calls: [call('a'), call('b')] };
    const server = await start('gemini', { reply: () => ({ message }) });
    expect(server.baseURL).toMatch(/\/v1beta\/openai$/);
    const { body: answer } = await post(server, '/chat/completions', body([user]));
    const sent = (answer as { readonly choices: readonly [{ readonly message: JsonObject }] }).choices[0].message;
    expect(sent).toMatchObject({ tool_calls: [{ extra_content: {} }, {}] });
    const again = await post(server, '/chat/completions', body([user, sent, result('a'), result('b')]));
    expect(again.status).toBe(200);
  });

  it('deepseek always thinks, unless it is told not to', async () => {
    const server = await start('deepseek');
    expect((await post(server, '/chat/completions', body([user]))).body).toMatchObject({
      choices: [{ message: { reasoning_content: '' } }],
    });
    const messages = [user, calls(call('a')), result('a')];
    const fields = { thinking: { type: 'disabled' } };
    expect((await post(server, '/chat/completions', body(messages, fields))).status).toBe(200);
  });

  it('ollama quietly reads the last of a request that is too large, and only the usage tells', async () => {
    const read: unknown[] = [];
    const reply = ({ messages }: JsonObject) => {
      read.push(messages);
      return { message: { content: 'Yes.' } };
    };
    const server = await start('ollama', { contextWindow: 100, reply });
    const long = { role: 'user', content: 'x'.repeat(1_000) };
    const { status, body: answer } = await post(server, '/chat/completions', body([system, long, said, user]));
    expect(status).toBe(200);
    expect(read).toEqual([[system, said, user]]);
    expect((answer as { readonly usage: { readonly prompt_tokens: number } }).usage.prompt_tokens).toBeLessThan(50);
  });

  it('has no Responses API', async () => {
    expect((await post(await start('ollama'), '/responses', { model: 'x', input: 'Go.' })).status).toBe(404);
  });
});
