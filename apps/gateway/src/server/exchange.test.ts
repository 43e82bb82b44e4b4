import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gatewayBefore } from '../../test-support/gateway-before.js';
import { connectTo, rawProvider, writeUntilBlocked } from '../../test-support/sockets.js';
import type { RawProvider } from '../../test-support/sockets.js';

let provider: RawProvider;
let gateway: Awaited<ReturnType<typeof gatewayBefore>>;
let host: string;
beforeEach(async () => {
  provider = await rawProvider();
  gateway = await gatewayBefore(provider.baseURL);
  host = new URL(gateway.url).host;
});
afterEach(() => Promise.all([gateway.close(), provider.close()]));

/** Sends a request, and returns both ends once its head has arrived. */
async function sent(line: string, headers: readonly string[] = [], body: string | Uint8Array = '') {
  const client = connectTo(gateway.url);
  const [method = '', path = ''] = line.split(' ');
  client.socket.write([`${method} /secret${path} HTTP/1.1`, `host: ${host}`, ...headers, '', ''].join('\r\n'));
  client.socket.write(body);
  const upstream = await provider.accept();
  await upstream.until('\r\n\r\n');
  return { client, upstream };
}

const body = '{"model":"m","messages":[{"role":"user","content":"Is it?"}]}';
const lengthOf = (text: string | Uint8Array) => `content-length: ${Buffer.byteLength(text)}`;
const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok';
const limit = 256 * 1024 * 1024;
/** The bytes that sockets and streams hold between two ends. */
const held = 24 * 1024 * 1024;

describe('a request', () => {
  it('loses what belongs to its connection, and no other header', async () => {
    const headers = ['connection: x-mine, close', 'x-mine: 1', 'keep-alive: timeout=5', 'te: trailers', lengthOf(body)];
    const others = [
      'authorization: Bearer k',
      'anthropic-beta: a',
      'anthropic-beta: b',
      'x-name: caf\xe9',
      'cookie: a=b',
    ];
    const { client, upstream } = await sent('POST /v1/messages?beta=true', [...headers, ...others], body);
    const [head = ''] = (await upstream.until(body)).split('\r\n\r\n');
    expect(head.split('\r\n').slice(1).sort()).toEqual([
      'accept-encoding: identity',
      'anthropic-beta: a, b',
      'authorization: Bearer k',
      'connection: keep-alive',
      lengthOf(body),
      'cookie: a=b',
      `host: ${new URL(provider.baseURL).host}`,
      'x-name: caf\xc3\xa9',
    ]);
    expect(head).toMatch(/^POST \/v1\/messages\?beta=true HTTP\/1.1/);
    upstream.socket.end(ok);
    expect(await client.ended).toMatch(/ok$/);
  });

  it.each([
    ['/v1/messages', 'that is read'],
    ['/v1/files', 'that passes unread'],
  ])('to %s, %s, is told to go on', async (path) => {
    const client = connectTo(gateway.url);
    const headers = [`host: ${host}`, lengthOf(body), 'expect: 100-continue', 'connection: close'];
    client.socket.write([`POST /secret${path} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
    await client.until('HTTP/1.1 100 Continue\r\n\r\n');
    client.socket.write(body);
    const upstream = await provider.accept();
    expect(await upstream.until(body)).not.toMatch(/expect/i);
    upstream.socket.end(ok);
    expect(await client.ended).toMatch(/ok$/);
  });

  it('keeps its length where it passes unread', async () => {
    const { client, upstream } = await sent('POST /v1/files', [lengthOf(body), 'connection: close'], body);
    const text = await upstream.until(body);
    expect(text).toContain(lengthOf(body));
    expect(text).not.toContain('transfer-encoding');
    upstream.socket.end(ok);
    await client.ended;
  });

  it.each(['POST /v1/messages/batches/b/cancel', 'DELETE /v1/files/f', 'GET /v1/models', 'POST /v1/messages'])(
    'has no body where it came without one: %s',
    async (line) => {
      const { client, upstream } = await sent(line, ['connection: close']);
      upstream.socket.end(ok);
      expect(await client.ended).toMatch(/ok$/);
      expect(upstream.text()).toMatch(line.startsWith('POST') ? /content-length: 0\r\n/ : /\r\n\r\n$/);
      expect(upstream.text()).not.toContain('transfer-encoding');
    },
  );

  it('comes in chunks, however they are split', async () => {
    const client = connectTo(gateway.url);
    client.socket.setNoDelay(true);
    client.socket.write(`POST /secret/v1/messages HTTP/1.1\r\nhost: ${host}\r\ntransfer-encoding: chunked\r\n\r\n`);
    for (const character of body) {
      client.socket.write(`1;extension=x\r\n${character}\r\n`);
      await new Promise(setImmediate);
    }
    client.socket.write('0\r\nx-trailer: 1\r\n\r\n');
    const upstream = await provider.accept();
    expect(await upstream.until(body)).toContain(lengthOf(body));
    upstream.socket.end(ok);
    await client.until('ok');
    client.socket.destroy();
  });

  it.each([
    ['that is too large', 'POST /v1/messages', [`content-length: ${limit}`], 1_000],
    ['that turns out too large', 'POST /v1/messages', ['transfer-encoding: chunked'], 66 * 1024 * 1024],
    ['in an unknown encoding', 'POST /v1/responses', [`content-length: ${limit}`, 'content-encoding: zstd'], 1_000],
    ['to another path', 'PUT /v1/files/f', [`content-length: ${limit}`], 1_000],
  ])('waits for its provider, with a body %s', async (_, line, headers, begun) => {
    const bytes = Buffer.alloc(begun, 'x');
    bytes.write(`${limit.toString(16)}\r\n`);
    const { client, upstream } = await sent(line, headers, bytes);
    upstream.socket.pause();
    expect(await writeUntilBlocked(client.socket, limit)).toBeLessThan(begun + held);
    client.socket.destroy();
    upstream.socket.resume();
    await upstream.ended;
  });

  it('may be answered before its end', async () => {
    const { client, upstream } = await sent('POST /v1/files', [`content-length: ${limit}`], 'begun');
    upstream.socket.end('HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\nconnection: close\r\n\r\nbig');
    expect(await client.until('big')).toMatch(/^HTTP\/1.1 413 /);
    client.socket.destroy();
  });

  it.each([
    ['before the answer', '/v1/messages', body, ''],
    ['while it sends', '/v1/files', body.slice(0, 10), ''],
    ['in mid-answer', '/v1/messages', body, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n'],
    ['in an answer that passes', '/v1/files', body, 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'],
  ])('whose client goes %s is broken off', async (_, path, part, answer) => {
    const { client, upstream } = await sent(`POST ${path}`, [lengthOf(body)], part);
    upstream.socket.write(answer);
    if (answer !== '') await client.until('ok');
    client.socket.destroy();
    await upstream.ended;
  });
});

describe('an answer', () => {
  /** Answers a request with bytes, and returns what its client gets. */
  async function answered(bytes: string | Uint8Array, line = 'POST /v1/messages') {
    const { client, upstream } = await sent(
      line,
      ['connection: close', ...(line.startsWith('POST') ? [lengthOf(body)] : [])],
      line.startsWith('POST') ? body : '',
    );
    upstream.socket.end(bytes);
    const [head = '', ...rest] = (await client.ended).split('\r\n\r\n');
    return { head: head.toLowerCase().split('\r\n'), rest: rest.join('\r\n\r\n') };
  }

  it('passes each chunk before the next one comes', async () => {
    const { client, upstream } = await sent('POST /v1/messages', [lengthOf(body)], body);
    upstream.socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
    for (const text of [
      'data: {"type":"message_start"}\n\n',
      'event: ',
      'ping\ndata: {"usa',
      'ge":{}}\n\n',
      ': x\n\n',
    ]) {
      upstream.socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
      await client.until(text);
    }
    upstream.socket.write('0\r\n\r\n');
    await client.until('\r\n0\r\n\r\n');
    client.socket.destroy();
  });

  it.each(['POST /v1/messages', 'POST /v1/files'])('waits for its client: %s', async (line) => {
    const { client, upstream } = await sent(line, [lengthOf(body)], body);
    client.socket.pause();
    upstream.socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${limit}\r\n\r\n`);
    const written = await writeUntilBlocked(upstream.socket, limit);
    expect(written).toBeLessThan(held);
    client.socket.destroy();
    await upstream.ended;
  });

  it('that is compressed all the same passes as it is', async () => {
    const zipped = gzipSync('{"usage":{"input_tokens":7,"output_tokens":1}}');
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-type: application/json\r\n${lengthOf(zipped)}\r\n\r\n`;
    const answer = await answered(Buffer.concat([Buffer.from(head), zipped]));
    expect(answer.head).toContain('content-encoding: gzip');
    expect(Buffer.from(answer.rest, 'latin1')).toEqual(zipped);
  });

  it('keeps its headers, each cookie for itself, and loses those of its connection', async () => {
    const headers = [
      'set-cookie: a=1; expires=Wed, 21 Oct 2026',
      'set-cookie: b=2',
      'x-request-id: r',
      'retry-after: 3',
      'x-name: caf\xe9 \xe6\x97\xa5',
    ];
    const own = ['connection: x-mine', 'x-mine: 1', 'keep-alive: timeout=1', 'proxy-connection: close'];
    const bytes = Buffer.from(
      ['HTTP/1.1 529 Busy', ...headers, ...own, 'content-length: 2', '', 'no'].join('\r\n'),
      'latin1',
    );
    const { head, rest } = await answered(bytes);
    expect(head[0]).toMatch(/^http\/1.1 529 /);
    expect(head).toEqual(expect.arrayContaining(headers.map((header) => header.toLowerCase())));
    expect(head.join('\n')).not.toMatch(/mine|keep-alive|proxy-connection/);
    expect(rest).toBe('no');
  });

  it.each([
    ['that redirects', 'POST /v1/messages', '307 Moved', 'location: http://evil.example/\r\ncontent-length: 0', '307'],
    ['with no content', 'POST /v1/messages', '204 No Content', 'x-a: 1', '204'],
    ['that is reset', 'POST /v1/messages', '205 Reset', 'content-length: 0', '205'],
    ['that is known', 'GET /v1/models', '304 Not Modified', 'etag: x', '304'],
    ['to a HEAD', 'HEAD /v1/models', '200 OK', 'content-length: 70', '200'],
    ['that is empty', 'POST /v1/messages', '400 Bad', 'content-length: 0', '400'],
  ])('%s passes', async (_, line, status, headers, code) => {
    const { head, rest } = await answered(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n`, line);
    expect(head[0]).toMatch(new RegExp(`^http/1.1 ${code} `));
    expect(head).toContain(headers.split('\r\n')[0]!.toLowerCase());
    expect(['', '0\r\n\r\n']).toContain(rest);
  });

  it('passes without the trailers behind it', async () => {
    const { head, rest } = await answered(
      'HTTP/1.1 200 OK\r\ntrailer: x-end\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-end: 1\r\n\r\n',
    );
    expect(head.join('\n')).not.toContain('trailer');
    expect(rest).toBe('2\r\nok\r\n0\r\n\r\n');
  });

  it.each([
    ['in chunks', 'transfer-encoding: chunked', '2\r\nok\r\n'],
    ['of a known length', 'content-length: 10', 'ok'],
  ])('that breaks off breaks the connection: %s', async (_, header, part) => {
    const { head, rest } = await answered(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n${part}`);
    expect(head[0]).toBe('http/1.1 200 ok');
    expect(part.startsWith(rest)).toBe(true);
  });

  it.each([
    ['POST /v1/messages', { type: 'error', error: { type: 'api_error' } }],
    ['POST /v1/messages/count_tokens', { type: 'error', error: { type: 'api_error' } }],
    ['POST /v1/chat/completions', { error: { type: 'server_error', code: 'bad_gateway' } }],
    ['POST /v1/responses', { error: { type: 'server_error', code: 'bad_gateway' } }],
  ])('that never comes is a 502 in the form of the provider: %s', async (line, form) => {
    for (const bytes of [
      '',
      'HTTP/1.1 200',
      'no HTTP at all\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
    ]) {
      const { client, upstream } = await sent(
        `${line}?key=q-secret`,
        ['authorization: Bearer h-secret', lengthOf(body), 'connection: close'],
        body,
      );
      upstream.socket.end(bytes);
      const text = await client.ended;
      expect(text).toMatch(/^HTTP\/1.1 502 /);
      expect(JSON.parse(/\{.*\}/.exec(text)![0])).toMatchObject(form);
      expect(text).not.toContain('secret');
    }
  });
});

it('goes on with a connection after a refusal, an error and an answer', async () => {
  const client = connectTo(gateway.url);
  const ask = (path: string) =>
    client.socket.write(`POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${lengthOf(body)}\r\n\r\n${body}`);
  ask('/wrong/v1/messages');
  await client.until('There is nothing here.\n');
  ask('/secret/v1/messages');
  (await provider.accept()).socket.destroy();
  await client.until('could not be reached');
  ask('/secret/v1/messages');
  const upstream = await provider.accept();
  await upstream.until(body);
  upstream.socket.end(ok);
  await client.until('ok');
  client.socket.end();
  await once(client.socket, 'close');
});
