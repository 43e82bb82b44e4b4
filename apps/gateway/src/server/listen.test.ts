import Anthropic from '@anthropic-ai/sdk';
import { memoryEventStore } from '@palimpsest/events';
import { anthropicServer } from '@palimpsest/provider-servers';
import { createConnection } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { gatewayOf } from '../core/gateway.js';
import { listen } from './listen.js';
import { upstreamAt } from './upstream.js';

const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((each) => each.close())));

async function gatewayBefore(baseURL: string) {
  const handle = gatewayOf({ upstream: upstreamAt(baseURL), store: memoryEventStore() });
  const gateway = await listen({ routes: [{ token: 'secret', handle }] });
  open.push(gateway);
  return { url: `${gateway.origin}/secret` };
}

/** Sends bytes as they are, and returns the status line. */
function raw(url: string, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''));
    socket.write(`${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n`);
  });
}

it('lets the SDK of a provider through, whole and as a stream', async () => {
  const server = await anthropicServer({
    apiKey: 'a-key',
    reply: () => ({ content: [{ type: 'text', text: 'All is right.' }] }),
  });
  open.push(server);
  const gateway = await gatewayBefore(server.baseURL);
  const client = new Anthropic({ apiKey: 'a-key', baseURL: gateway.url, maxRetries: 0 });
  const request = {
    model: 'claude-opus-4-5',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Is it?' }],
  };

  expect((await client.messages.create(request)).content).toMatchObject([{ text: 'All is right.' }]);
  expect(await client.messages.stream(request).finalText()).toBe('All is right.');
});

it('says in the form of the provider that it could not be reached', async () => {
  const gateway = await gatewayBefore('http://127.0.0.1:9');
  const client = new Anthropic({ apiKey: 'a-key', baseURL: gateway.url, maxRetries: 0 });
  const request = {
    model: 'claude-opus-4-5',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Is it?' }],
  };

  await expect(client.messages.create(request)).rejects.toMatchObject({
    status: 502,
    error: { error: { type: 'api_error' } },
  });
});

describe('refuses', async () => {
  const gateway = await gatewayBefore('http://127.0.0.1:9');
  const { host } = new URL(gateway.url);
  const cases: readonly (readonly [string, string, readonly string[], string])[] = [
    ['a path without the token', '/v1/messages', [`host: ${host}`], '404'],
    ['a token that only begins alike', '/secret2/v1/messages', [`host: ${host}`], '404'],
    ['another host', '/secret/v1/messages', ['host: evil.example'], '403'],
    ['a host without the port', '/secret/v1/messages', ['host: 127.0.0.1'], '403'],
    ['a page of another origin', '/secret/v1/messages', [`host: ${host}`, 'origin: https://evil.example'], '403'],
    ['an absolute address', 'http://evil.example/secret/v1/messages', [`host: ${host}`], '400'],
    ['a path of another host', '//evil.example/secret/', [`host: ${host}`], '400'],
    ['encoded dots', '/secret/%2e%2e/v1/messages', [`host: ${host}`], '400'],
    ['dots', '/secret/../v1/messages', [`host: ${host}`], '400'],
    ['an upgrade', '/secret/v1/responses', [`host: ${host}`, 'upgrade: websocket', 'connection: upgrade'], '426'],
  ];
  it.each(cases)('%s', async (_, path, headers, status) => {
    const lines = [`GET ${path} HTTP/1.1`, ...headers];
    expect(await raw(gateway.url, lines)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});
