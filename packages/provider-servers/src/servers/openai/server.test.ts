import { describe, expect, it, onTestFinished } from 'vitest';
import { openaiServer } from './server.js';
import type { OpenAIServerOptions } from './server.js';
import { frames, get, post } from '../../../test-support/openai-client.js';

// Raw requests: neither an adapter nor an SDK has touched them.

async function start(options: Partial<OpenAIServerOptions> = {}) {
  const server = await openaiServer({ reply: () => ({ message: { content: 'Hello, world.' } }), ...options });
  onTestFinished(() => server.close());
  return server;
}

const chat = (fields: object = {}) => ({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi.' }], ...fields });
const responses = (fields: object = {}) => ({ model: 'gpt-6-sol', input: 'Hi.', store: false, ...fields });
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'run', arguments: '{"command":"ls -la /tmp"}' },
};

describe('openaiServer, Chat Completions', () => {
  it('answers whole', async () => {
    const server = await start();
    const { status, body } = await post(server, '/chat/completions', chat());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: 'Hello, world.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10 },
    });
  });

  it('streams: the role, words, calls by index with id and name once, the end, [DONE] (B.6)', async () => {
    const message = { content: 'I look.', tool_calls: [call, { ...call, id: 'call_2' }] };
    const server = await start({ reply: () => ({ message }), pieceSize: 6 });
    const tools = [{ type: 'function', function: { name: 'run', parameters: {} } }];
    const { status, text } = await post(server, '/chat/completions', chat({ stream: true, tools }));
    expect(status).toBe(200);
    const sent = frames(text);
    expect(sent.at(-1)).toEqual({ event: undefined, data: '[DONE]' });
    const chunks = sent.slice(0, -1).map(({ data }) => data as Chunk);
    expect(new Set(chunks.map(({ id, model, object }) => `${id} ${model} ${object}`))).toEqual(
      new Set(['chatcmpl-1 gpt-4o chat.completion.chunk']),
    );
    expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true);
    const deltas = chunks.map(({ choices }) => choices[0]?.delta);
    expect(deltas.slice(0, 4)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'I look' },
      { content: '.' },
      { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'run', arguments: '' } }] },
    ]);
    const calls = deltas.flatMap((delta) => delta?.tool_calls ?? []);
    expect(calls.filter(({ id }) => id !== undefined).map(({ index, id }) => [index, id])).toEqual([
      [0, 'call_1'],
      [1, 'call_2'],
    ]);
    for (const index of [0, 1]) {
      const pieces = calls.filter((piece) => piece.index === index).map((piece) => piece.function.arguments);
      expect(pieces.join('')).toBe(call.function.arguments);
    }
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'tool_calls' });
  });

  it('sends the usage of a stream only when asked, in a chunk without choices before [DONE] (B14)', async () => {
    const server = await start();
    const { text } = await post(
      server,
      '/chat/completions',
      chat({ stream: true, stream_options: { include_usage: true } }),
    );
    const chunks = frames(text)
      .slice(0, -1)
      .map(({ data }) => data as Chunk);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10 } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it('refuses in the words of the provider, with the place (B1)', async () => {
    const server = await start();
    const messages = [
      { role: 'user', content: 'Hi.' },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
    ];
    const { status, body } = await post(server, '/chat/completions', chat({ messages }));
    expect(status).toBe(400);
    expect(body).toEqual({
      error: {
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        type: 'invalid_request_error',
        param: 'messages.[1].role',
        code: null,
      },
    });
  });

  it.each([
    ['gpt-4o', 5, {}, "This model's maximum context length is 5 tokens. However, your messages resulted in 10 tokens."],
    ['gpt-6-sol', 5, {}, 'Input tokens exceed the configured limit of 5 tokens. Your messages resulted in 10 tokens.'],
    ['gpt-4o', 20, { max_tokens: 12 }, 'However, you requested 22 tokens (10 in the messages, 12 in the completion).'],
  ])('%s says in a window of %i that a request is too large (B13)', async (model, contextWindow, fields, words) => {
    const server = await start({ contextWindow });
    const { status, body } = await post(server, '/chat/completions', chat({ model, ...fields }));
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
    });
    expect(JSON.stringify(body)).toContain(words);
  });

  it('takes what just fits (B13)', async () => {
    const server = await start({ contextWindow: 22 });
    expect((await post(server, '/chat/completions', chat({ max_tokens: 12 }))).status).toBe(200);
  });
});

describe('openaiServer, both endpoints', () => {
  it.each(['/chat/completions', '/responses'])('%s refuses another key', async (path) => {
    const server = await start({ apiKey: 'right' });
    const { status, body } = await post(server, path, chat(), { authorization: 'Bearer wrong' });
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: { code: 'invalid_api_key' } });
  });

  it('knows no other path, and no body that is no JSON object', async () => {
    const server = await start();
    expect((await post(server, '/completions', chat())).status).toBe(404);
    expect((await post(server, '/chat/completions', [])).status).toBe(400);
  });

  it('lists its models', async () => {
    const server = await start({ models: ['gpt-6-sol'] });
    expect((await get(server, '/models')).body).toMatchObject({ data: [{ id: 'gpt-6-sol', object: 'model' }] });
  });

  it('fails as it is told to, by the number of the request', async () => {
    const server = await start({
      faults: [{ fault: 'rate-limit', retryAfterSeconds: 3 }, { fault: 'server-error' }, { fault: 'spend-limit' }],
    });
    const first = await post(server, '/chat/completions', chat());
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '3']);
    expect(first.body).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect((await post(server, '/responses', responses())).status).toBe(500);
    const third = await post(server, '/responses', responses());
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, null]);
    expect(third.body).toMatchObject({ error: { code: 'insufficient_quota' } });
    expect((await post(server, '/responses', responses())).status).toBe(200);
  });

  it('breaks a stream off with an error inside it', async () => {
    const server = await start({
      faults: [
        { fault: 'stream-error', afterEvents: 2 },
        { fault: 'stream-error', afterEvents: 2 },
      ],
    });
    const ofChat = frames((await post(server, '/chat/completions', chat({ stream: true }))).text);
    expect(ofChat).toHaveLength(3);
    expect(ofChat.at(-1)?.data).toMatchObject({ error: { type: 'server_error' } });
    const ofResponses = frames((await post(server, '/responses', responses({ stream: true }))).text);
    expect(ofResponses.at(-1)).toMatchObject({ event: 'error', data: { type: 'error', sequence_number: 2 } });
  });

  it('answers a reply that is an error or a fault with it', async () => {
    const replies = [
      { error: { status: 418, type: 'teapot', message: 'Short and stout.' } },
      { fault: 'overloaded' as const, retryAfterSeconds: 1 },
    ];
    const server = await start({ reply: (_body, index) => replies[index] ?? { message: {} } });
    expect((await post(server, '/chat/completions', chat())).body).toMatchObject({ error: { type: 'teapot' } });
    expect((await post(server, '/chat/completions', chat())).status).toBe(503);
  });
});

interface Chunk {
  readonly id: string;
  readonly model: string;
  readonly object: string;
  readonly usage?: unknown;
  readonly choices: readonly {
    readonly delta: {
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function: { readonly arguments: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
}
