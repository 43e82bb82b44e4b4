import Anthropic from '@anthropic-ai/sdk';
import { anthropicServer } from '@palimpsest/provider-servers';
import { networkInterfaces } from 'node:os';
import { createConnection } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { gatewayBefore } from '../../test-support/gateway-before.js';
import { exchangeRaw, rawProvider } from '../../test-support/sockets.js';
import { listen } from './listen.js';

const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((each) => each.close())));

it('lets the SDK of a provider through, whole and as a stream', async () => {
  const server = await anthropicServer({
    apiKey: 'a-key',
    reply: () => ({ content: [{ type: 'text', text: 'All is right.' }] }),
  });
  const gateway = await gatewayBefore(server.baseURL);
  open.push(server, gateway);
  const client = new Anthropic({ apiKey: 'a-key', baseURL: gateway.url, maxRetries: 0 });
  const request = {
    model: 'claude-opus-4-5',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Is it?' }],
  };

  expect((await client.messages.create(request)).content).toMatchObject([{ text: 'All is right.' }]);
  expect(await client.messages.stream(request).finalText()).toBe('All is right.');
});

describe('a request that is none of ours', async () => {
  const provider = await rawProvider();
  const gateway = await gatewayBefore(provider.baseURL);
  open.push(gateway, provider);
  const { host, port } = new URL(gateway.url);
  const own = [`host: ${host}`];
  const cases: readonly (readonly [string, string, readonly string[], number])[] = [
    ['a path without the token', '/v1/messages', own, 404],
    ['no path', '/', own, 404],
    ['a token that only begins alike', '/secret2/v1/messages', own, 404],
    ['the beginning of a token', '/secre/v1/messages', own, 404],
    ['an encoded token', '/s%65cret/v1/messages', own, 404],
    ['another host', '/secret/v1/messages', ['host: evil.example'], 403],
    ['a host that begins alike', '/secret/v1/messages', [`host: ${host}.evil.example`], 403],
    ['a host without the port', '/secret/v1/messages', ['host: 127.0.0.1'], 403],
    ['another port', '/secret/v1/messages', ['host: 127.0.0.1:1'], 403],
    ['a page of another origin', '/secret/v1/messages', [...own, 'origin: https://evil.example'], 403],
    ['a page of no origin', '/secret/v1/messages', [...own, 'origin: null'], 403],
    ['a page of another port', '/secret/v1/messages', [...own, 'origin: http://127.0.0.1:1'], 403],
    ['an absolute address', `http://${host}/secret/v1/messages`, own, 400],
    ['an absolute address elsewhere', 'https://evil.example/secret/v1/messages', own, 400],
    ['a path of another host', '//evil.example/secret/', own, 400],
    ['a path of another host, backwards', '/\\evil.example/secret/', own, 400],
    ['encoded dots', '/secret/%2e%2e/v1/messages', own, 400],
    ['half encoded dots', '/secret/v1/.%2E/messages', own, 400],
    ['dots', '/secret/../v1/messages', own, 400],
    ['a dot', '/secret/./v1/messages', own, 400],
    ['dots at the end', '/secret/v1/..', own, 400],
    ['an encoded slash', '/secret/v1%2fmessages', own, 400],
    ['an encoded backslash', '/secret/..%5cv1', own, 400],
    ['a backslash', '/secret\\v1', own, 400],
    ['a fragment', '/secret/v1/messages#x', own, 400],
    ['the server itself', '*', own, 400],
    ['a WebSocket', '/secret/v1/responses', [...own, 'upgrade: websocket', 'connection: upgrade'], 426],
    ['another protocol', '/secret/v1/messages', [...own, 'upgrade: h2c', 'connection: upgrade, http2-settings'], 426],
    ['no host', '/secret/v1/messages', [], 400],
    ['a method that sends headers back', '/secret/v1/messages', own, 405],
  ];
  it.each(cases)('is refused: %s', async (_, path, headers, status) => {
    const method = status === 405 ? 'TRACE' : 'GET';
    const answer = await exchangeRaw(
      gateway.url,
      [`${method} ${path} HTTP/1.1`, ...headers, 'connection: close', '', ''].join('\r\n'),
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).not.toMatch(/access-control/i);
  });

  const post = `POST /secret/v1/messages HTTP/1.1\r\nhost: ${host}\r\n`;
  it.each([
    ['a length and chunks', `${post}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${post}content-length: 4\r\ncontent-length: 5\r\n\r\nabcd`],
    ['a length that is none', `${post}content-length: +4\r\n\r\nabcd`],
    ['chunks that are not the last encoding', `${post}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
    ['another encoding', `${post}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a blank before the colon', `${post}content-length : 4\r\n\r\nabcd`],
    ['a folded header', `${post}x-a: b\r\n c\r\ncontent-length: 0\r\n\r\n`],
    ['a line without its first half', `${post}x-a: b\ncontent-length: 0\r\n\r\n`],
    ['no name', `${post}: b\r\n\r\n`],
    ['a null in a header', `${post}x-a: b\0c\r\n\r\n`],
    ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00'],
    ['headers of more than 128 KiB', `${post}x-a: ${'b'.repeat(140_000)}\r\n\r\n`],
  ])('is refused, and the connection ends: %s', async (_, bytes) => {
    expect(await exchangeRaw(gateway.url, bytes)).toMatch(/^(?:HTTP\/1.1 (?:400|431) |$)/);
  });

  it('opens no tunnel', async () => {
    expect(await exchangeRaw(gateway.url, `CONNECT evil.example:443 HTTP/1.1\r\nhost: ${host}\r\n\r\n`)).toBe('');
  });

  it('does not come from another machine', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    for (const { address, internal, family } of addresses) {
      if (internal || family !== 'IPv4') continue;
      const socket = createConnection(Number(port), address);
      await expect(new Promise((resolve, reject) => socket.on('connect', resolve).on('error', reject))).rejects.toThrow(
        'ECONNREFUSED',
      );
    }
  });

  it('does not end the gateway', async () => {
    const answer = exchangeRaw(
      gateway.url,
      `GET /secret/v1/models HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
    );
    const { socket, until } = await provider.accept();
    expect(await until('\r\n\r\n')).toMatch(/^GET \/v1\/models HTTP/);
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    expect(await answer).toMatch(/^HTTP\/1.1 200 OK[^]*\r\n\r\nok$/);
  });
});

it('leads each token to its own upstream', async () => {
  const routes = ['one', 'two'].map((token) => ({
    token,
    handle: async ({ url }: Request) => Promise.resolve(new Response(`${token} ${new URL(url).pathname}`)),
  }));
  const gateway = await listen({ routes });
  open.push(gateway);
  const texts = ['/one/v1/models', '/two/v1/models', '/one', '/two/?x=/one/..'].map(async (path) =>
    (await fetch(`${gateway.origin}${path}`)).text(),
  );
  expect(await Promise.all(texts)).toEqual(['one /v1/models', 'two /v1/models', 'one /', 'two /']);
});

it('says of a taken port that it is', async () => {
  const gateway = await listen({ routes: [] });
  open.push(gateway);
  await expect(listen({ routes: [], port: Number(new URL(gateway.origin).port) })).rejects.toThrow('EADDRINUSE');
});
