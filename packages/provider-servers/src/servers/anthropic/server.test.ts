import { describe, expect, it, onTestFinished } from 'vitest';
import { post, postStreamed } from '../../../test-support/anthropic-client.js';
import { anthropicServer } from './server.js';
import type { AnthropicServerOptions } from './server.js';

// Raw requests. The rules of bodies are tested with `checkAnthropicRequest`; thinking, the cache and streams in `anthropic/`.

const text = (words: string) => ({ type: 'text', text: words });
const hello = () => ({ content: [text('Hello.')] });
const request = (fields: object = {}) => ({
  model: 'claude-opus-5-5',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Go.' }],
  ...fields,
});
const ofTokens = (count: number, fields: object = {}) =>
  request({
    messages: [{ role: 'user', content: 'x'.repeat(count * 4 - 'user:{"text":"","type":"text"}'.length) }],
    ...fields,
  });

async function start(options: Partial<AnthropicServerOptions> = {}) {
  const server = await anthropicServer({ reply: hello, ...options });
  onTestFinished(() => server.close());
  return server;
}

describe('anthropicServer', () => {
  it('answers, and keeps what it was sent', async () => {
    const server = await start();
    const { status, headers, body } = await post(server, request(), { headers: { 'anthropic-version': '2023-06-01' } });
    expect(status).toBe(200);
    expect(headers.get('request-id')).toBe('req_1');
    expect(body).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [text('Hello.')],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 9,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 2,
        output_tokens_details: { thinking_tokens: 0 },
        service_tier: 'standard',
      },
    });
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/v1/messages', headers: { 'anthropic-version': '2023-06-01' }, body: request() },
    ]);
  });

  it('takes its one key in either header, and no other', async () => {
    const server = await start({ apiKey: 'mine' });
    const status = async (headers: Record<string, string>) => (await post(server, request(), { headers })).status;
    expect(await status({ 'x-api-key': 'mine' })).toBe(200);
    expect(await status({ authorization: 'Bearer mine' })).toBe(200);
    expect(await status({})).toBe(401);
    expect((await post(server, request(), { headers: { 'x-api-key': 'yours' } })).body).toMatchObject({
      type: 'error',
      error: { type: 'authentication_error' },
      request_id: 'req_refused',
    });
  });

  it('has no other address', async () => {
    const server = await start();
    expect((await post(server, request(), { path: '/v1/complete' })).body).toMatchObject({
      error: { type: 'not_found_error' },
    });
    expect(await post(server, request(), { path: '/v1/messages?beta=true' })).toMatchObject({ status: 200 });
    expect((await fetch(`${server.url}/v1/messages`)).status).toBe(404);
  });

  it('says of every answer what the limits are', async () => {
    const server = await start({ now: () => new Date('2026-11-21T12:00:00Z'), faults: [{ fault: 'rate-limit' }] });
    const limited = await post(server, request());
    expect(limited.headers.get('anthropic-ratelimit-input-tokens-remaining')).toBe('0');
    const { headers } = await post(server, request());
    expect(headers.get('anthropic-ratelimit-requests-limit')).toBe('4000');
    expect(headers.get('anthropic-ratelimit-requests-reset')).toBe('2026-11-21T12:01:00.000Z');
  });

  it('counts tokens as an answer bills them, and asks nobody', async () => {
    const server = await start({ reply: () => expect.unreachable('nothing is asked'), contextWindow: 10 });
    const path = '/v1/messages/count_tokens';
    const { max_tokens: _, ...counted } = ofTokens(70);
    expect(await post(server, counted, { path })).toMatchObject({ status: 200, body: { input_tokens: 70 } });
    expect((await post(server, { ...counted, messages: [] }, { path })).status).toBe(400);
    expect((await post(server, request(), { path })).refusal).toBe('max_tokens: Extra inputs are not permitted');
  });

  it('refuses what is no JSON', async () => {
    expect(await post(await start(), '{"model"')).toMatchObject({ status: 400 });
  });
});

describe('the window (A21)', () => {
  it('refuses a prompt that is longer, in the words of the provider', async () => {
    const server = await start({ contextWindow: 100 });
    expect((await post(server, ofTokens(100))).status).toBe(200);
    const { status, body, refusal } = await post(server, ofTokens(101));
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } });
    expect(refusal).toBe('prompt is too long: 101 tokens > 100 maximum');
  });

  it('is that of the model when none is given', async () => {
    const server = await start();
    expect((await post(server, ofTokens(200_001, { model: 'claude-haiku-4-5' }))).refusal).toBe(
      'prompt is too long: 200001 tokens > 200000 maximum',
    );
    expect((await post(server, ofTokens(200_001))).status).toBe(200);
    expect((await post(server, ofTokens(1_000_001))).status).toBe(400);
  });

  it('stops the answer of a newer model', async () => {
    const server = await start({ contextWindow: 100, reply: () => ({ content: [text('x'.repeat(100))] }) });
    expect((await post(server, ofTokens(90))).body).toMatchObject({
      content: [text('x'.repeat(40))],
      stop_reason: 'model_context_window_exceeded',
      usage: { input_tokens: 90, output_tokens: 10 },
    });
    expect((await post(server, ofTokens(75))).body).toMatchObject({ stop_reason: 'end_turn' });
  });

  it('is too small for an older model when the longest answer does not fit', async () => {
    const server = await start({ contextWindow: 1_000 });
    const model = 'claude-opus-4-1-20250805';
    expect((await post(server, ofTokens(100, { model, max_tokens: 900 }))).status).toBe(200);
    expect((await post(server, ofTokens(100, { model, max_tokens: 901 }))).refusal).toBe(
      'input length and `max_tokens` exceed context limit: 100 + 901 > 1000, decrease input length or `max_tokens` and try again',
    );
    expect((await post(server, ofTokens(1_001, { model, max_tokens: 1 }))).refusal).toContain('prompt is too long');
  });
});

describe('bytes (A22)', () => {
  it('are counted before anything else is looked at', async () => {
    const server = await start({ apiKey: 'mine' });
    const empty = JSON.stringify({ x: '' }).length;
    const ofBytes = (count: number) => JSON.stringify({ x: 'x'.repeat(count - empty) });
    expect((await post(server, ofBytes(32 * 1_024 * 1_024))).status).toBe(401);
    const { status, body } = await post(server, ofBytes(32 * 1_024 * 1_024 + 1));
    expect({ status, body }).toMatchObject({ status: 413, body: { error: { type: 'request_too_large' } } });
  });
});

describe('faults', () => {
  it.each([
    [429, 'rate_limit_error', '7', { fault: 'rate-limit', retryAfterSeconds: 7 }],
    [429, 'rate_limit_error', null, { fault: 'rate-limit' }],
    [429, 'rate_limit_error', null, { fault: 'spend-limit' }],
    [529, 'overloaded_error', null, { fault: 'overloaded' }],
    [529, 'overloaded_error', '1', { fault: 'overloaded', retryAfterSeconds: 1 }],
    [500, 'api_error', null, { fault: 'server-error' }],
    [413, 'request_too_large', null, { fault: 'too-many-bytes' }],
  ] as const)('are %d %s, to be tried again after %s: %j', async (status, type, retryAfter, fault) => {
    for (const options of [{ faults: [fault] }, { reply: () => fault }]) {
      const { headers, ...answer } = await post(await start(options), request());
      expect(answer).toMatchObject({ status, body: { type: 'error', error: { type } } });
      expect(headers.get('retry-after')).toBe(retryAfter);
    }
  });

  it('of a spend limit say so in their details', async () => {
    const { body } = await post(await start({ faults: [{ fault: 'spend-limit' }] }), request());
    expect(body).toMatchObject({ error: { details: { error_code: 'enforced_spend_limit_reached' } } });
  });

  it('come by the number of the request, retries counted, and the answers by their own', async () => {
    const asked: number[] = [];
    const server = await start({
      faults: [undefined, { fault: 'overloaded' }, { fault: 'cut' }],
      reply: (_body, index) => {
        asked.push(index);
        return hello();
      },
    });
    expect((await post(server, request())).status).toBe(200);
    expect((await post(server, request())).status).toBe(529);
    await expect(post(server, request())).rejects.toThrow();
    expect((await post(server, request())).status).toBe(200);
    expect(asked).toEqual([0, 1, 2]);
    expect(server.requests).toHaveLength(4);
  });

  it('can be chosen by what was asked', async () => {
    const server = await start({
      faults: (body) => (JSON.stringify(body).includes('Stop') ? { fault: 'server-error' } : undefined),
    });
    expect((await post(server, request())).status).toBe(200);
    expect((await post(server, request({ messages: [{ role: 'user', content: 'Stop.' }] }))).status).toBe(500);
  });

  it('do not hide what the rules refuse', async () => {
    const server = await start({
      faults: [{ fault: 'slow-first-byte', until: Promise.resolve() }, { fault: 'stream-error' }],
    });
    expect((await post(server, request({ messages: [] }))).status).toBe(400);
    expect((await post(server, request({ messages: [] }))).status).toBe(400);
  });

  it('spoil an answer that is not streamed as well', async () => {
    const server = await start({ faults: [{ fault: 'stream-error' }, { fault: 'cut', afterEvents: 1 }] });
    expect((await post(server, request())).body).toMatchObject({ error: { type: 'api_error' } });
    await expect(post(server, request())).rejects.toThrow();
  });

  it('can be an error in the words of the author', async () => {
    const error = {
      status: 403,
      type: 'permission_error',
      message: 'Not you.',
      headers: { 'x-should-retry': 'false' },
    };
    const { headers, ...answer } = await post(await start({ reply: () => ({ error }) }), request());
    expect(answer).toMatchObject({ status: 403, refusal: 'Not you.' });
    expect(headers.get('x-should-retry')).toBe('false');
  });

  it('refuse a stream as a whole answer', async () => {
    const response = await fetch(`${(await start()).url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(request({ stream: true, messages: [] })),
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect((await postStreamed(await start(), request())).isComplete).toBe(true);
  });
});
