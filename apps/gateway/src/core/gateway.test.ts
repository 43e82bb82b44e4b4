import { memoryEventStore } from '@palimpsest/events';
import { openaiServer, rewritesIn, sentTo } from '@palimpsest/provider-servers';
import { afterAll, describe, expect, it } from 'vitest';
import { CodingSession, fileText, readingServer, upstreamOf } from '../../test-support/coding-session.js';
import { gatewayOf } from './gateway.js';
import type { Upstream } from './upstream-request.js';

const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

describe('a long session of Messages', () => {
  it('is never refused, rewritten only by condensations, and its usage is read', async () => {
    const server = await readingServer();
    servers.push(server);
    const client = new CodingSession(server);
    for (let step = 0; step < 75; step++) expect((await client.step({ stream: step % 2 === 0 })).status).toBe(200);
    const { receipts, condensed } = client;
    expect(receipts).toHaveLength(75);
    expect(receipts.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(receipts.filter(({ usage }) => usage === undefined)).toEqual([]);
    expect(condensed.length).toBeGreaterThan(1);
    expect(rewritesIn(sentTo(server))).toHaveLength(condensed.length);
  });
});

it('answers an overflow once by a harder list, before the client sees a byte', async () => {
  const server = await openaiServer({ reply: () => ({ message: { content: 'Done.' } }), contextWindow: 6_000 });
  servers.push(server);
  const gateway = gatewayOf({ upstream: upstreamOf(server.baseURL), store: memoryEventStore() });
  const messages = Array.from({ length: 30 }, (_, step) => [
    { role: 'user', content: `Part ${step}: ${fileText(step).slice(0, 900)}` },
    { role: 'assistant', content: `Part ${step} is right.` },
  ]).flat();
  const response = await gateway(
    new Request('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer a-key', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [...messages, { role: 'user', content: 'Is all right?' }] }),
    }),
  );
  expect(response.status).toBe(200);
  expect(JSON.stringify(await response.json())).toContain('Done.');
});

describe('byte for byte', () => {
  /** An upstream that keeps what it was sent. */
  function recorder() {
    const sent: { path: string; headers: Headers; body: Uint8Array | undefined }[] = [];
    const upstream: Upstream = async ({ path, headers, body }) => {
      const bytes = body === undefined ? undefined : new Uint8Array(await new Response(body).arrayBuffer());
      sent.push({ path, headers, body: bytes });
      return new Response('{ "usage" : {"input_tokens": 7, "output_tokens": 1} }', {
        status: 200,
        headers: { 'content-type': 'application/json', 'x-request-id': 'one' },
      });
    };
    return { sent, gateway: gatewayOf({ upstream, store: memoryEventStore() }) };
  }
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    new Request(`http://localhost${path}`, { method: 'POST', body, headers: { 'x-api-key': 'k', ...headers } });

  it.each([
    ['a short list', '/v1/messages?beta=true', ' {"messages":[ {"role":"user","content":"a\\u0041"} ], "x":1.0}'],
    ['no JSON', '/v1/messages', '{"messages":['],
    ['a key twice', '/v1/messages', '{"messages":[],"messages":[]}'],
    [
      'a state at the provider',
      '/v1/responses',
      '{"previous_response_id":"r", "input":[{"role":"user","content":"a"}]}',
    ],
    ['an input that is a text', '/v1/responses', '{"input": "a"}'],
    ['another path', '/v1/embeddings', '{"input": "a" }'],
  ])('goes %s', async (_, path, text) => {
    const { sent, gateway } = recorder();
    const response = await gateway(post(path, text));
    expect(await response.text()).toBe('{ "usage" : {"input_tokens": 7, "output_tokens": 1} }');
    expect(response.headers.get('x-request-id')).toBe('one');
    expect(sent).toHaveLength(1);
    expect(sent[0]?.path).toBe(path);
    expect(new TextDecoder().decode(sent[0]?.body)).toBe(text);
  });

  it('goes what a subscription pays', async () => {
    const { sent, gateway } = recorder();
    const text = `{"messages":[${Array(300).fill('{"role":"user","content":"a long text of which there is much"}').join(' ,')}]}`;
    await gateway(post('/v1/messages', text, { authorization: 'Bearer sk-ant-oat01-abc' }));
    expect(new TextDecoder().decode(sent[0]?.body)).toBe(text);
  });

  it('keeps what belongs to one connection', async () => {
    const { sent, gateway } = recorder();
    await gateway(
      post('/v1/messages', '{"messages":[]}', { 'accept-encoding': 'gzip', te: 'trailers', 'anthropic-beta': 'b' }),
    );
    expect(Object.fromEntries(sent[0]!.headers)).toEqual({
      'accept-encoding': 'identity',
      'anthropic-beta': 'b',
      'content-type': 'text/plain;charset=UTF-8',
      'x-api-key': 'k',
    });
  });
});

it('sends the same bytes for the same list, and condenses at a new one', async () => {
  const sent: string[] = [];
  const upstream: Upstream = async ({ body }) => {
    sent.push(new TextDecoder().decode(body as Uint8Array));
    return new Response('{"error":{"message":"busy"}}', { status: 529, headers: { 'retry-after': '1' } });
  };
  const gateway = gatewayOf({ upstream, store: memoryEventStore() });
  const messages = [
    { role: 'user', content: 'Read all.' },
    ...Array.from({ length: 120 }, (_, step) => [
      { role: 'assistant', content: [{ type: 'tool_use', id: `t${step}`, name: 'read', input: { step } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${step}`, content: fileText(step) }] },
    ]).flat(),
  ];
  const ask = async (count: number) => {
    const body = JSON.stringify({ model: 'claude-opus-4-5', messages: messages.slice(0, count) });
    const response = await gateway(new Request('http://localhost/v1/messages', { method: 'POST', body }));
    expect(response.status).toBe(529);
    expect(response.headers.get('retry-after')).toBe('1');
  };
  for (const count of [201, 201, 201, 241, 241]) await ask(count);

  expect(sent[0]!.length).toBeLessThan(JSON.stringify(messages.slice(0, 201)).length / 2);
  expect([sent[1], sent[2], sent[4]]).toEqual([sent[0], sent[0], sent[3]]);
});
