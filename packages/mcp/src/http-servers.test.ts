import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { modernServer, served, sessionServer } from '../test-support/http-servers.js';
import { connected } from '../test-support/servers.js';

const said = (words: string) => ({ content: [{ type: 'text', text: words }] });

test('a server with sessions: headers are sent, a session that it forgot is begun again, and ended at the end', async () => {
  const server = await sessionServer();
  const all = await connected({ web: { url: server.url, headers: { Authorization: 'Bearer of-the-realm' } } });
  expect(all.notes).toEqual([]);
  expect(await all.use('mcp__web__echo', { words: 'hello' })).toEqual(said('hello'));
  expect(server.headers.every(({ authorization }) => authorization === 'Bearer of-the-realm')).toBe(true);
  const stop = new AbortController();
  const resting = all.use('mcp__web__rest', {}, stop.signal);
  stop.abort(new Error('enough'));
  await expect(resting).rejects.toThrow('enough');
  server.forget();
  expect(await all.use('mcp__web__echo', { words: 'again' })).toEqual(said('again'));
  expect(server.sessions.size).toBe(1);
  await all.close();
  expect(server.sessions.size).toBe(0);
});

test('an answer that is too long fails its call, and the server stays', async () => {
  const types = ['application/json', 'text/event-stream', 'application/json'];
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = (await json(request)) as {
      readonly id?: number;
      readonly method: string;
      readonly params?: { readonly protocolVersion?: string };
    };
    if (id === undefined) return void response.writeHead(202).end();
    const isCall = method === 'tools/call';
    const type = (isCall ? types.shift() : undefined) ?? 'application/json';
    const text = isCall && types.length > 0 ? 'y'.repeat(17 * 2 ** 20) : 'short';
    const result = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'plain', version: '1' },
      },
      'tools/list': { tools: [{ name: 'read', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text }] },
    }[method];
    const error = { code: -32_601, message: 'Not now.' };
    const answer = JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
    response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? answer : `data: ${answer}\n\n`);
  };
  const all = await connected({ web: { url: await served((request, response) => void answerTo(request, response)) } });
  const tooLong = "answered the call of 'read' with more than 16 MiB, which is not read.";
  await expect(all.use('mcp__web__read')).rejects.toThrow(tooLong);
  await expect(all.use('mcp__web__read')).rejects.toThrow(tooLong);
  expect(await all.use('mcp__web__read')).toEqual(said('short'));
  expect(all.told).toEqual([]);
});

test('a call that fails is not repeated because the server has no stream of notifications', async () => {
  let calls = 0;
  let asked = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(404).end(asked);
    const { id, method, params } = (await json(request)) as {
      readonly id?: number;
      readonly method: string;
      readonly params?: { readonly protocolVersion?: string };
    };
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call') calls++;
    const result = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'plain', version: '1' },
      },
      'tools/list': { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] },
    }[method];
    const error = { code: -32_601, message: 'Not now.' };
    const answer = { jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
  const url = await served((request, response) => void answerTo(request, response));
  const all = await connected({ web: { url } });
  await isAsked;
  await expect(all.use('mcp__web__pay')).rejects.toThrow("refused the call of 'pay': Not now.");
  expect(calls).toBe(1);
});

test('a server of today, without sessions', async () => {
  const all = await connected({ web: { url: await modernServer() } });
  expect(all.notes).toEqual([]);
  expect(all.tools).toHaveLength(6);
  expect(await all.use('mcp__web__add', { a: 2, b: 3 })).toEqual(said('{"sum":5}'));
  expect(all.servers()[0]).toMatchObject({ kind: 'http', state: 'connected' });
});

test('a server cannot write to the console, by a header that is none', async () => {
  const written = vi.spyOn(console, 'warn');
  const all = await connected({ web: { url: await modernServer({ 'x-mcp-header': '\u001b[2J' }) } });
  expect(all.tools).toHaveLength(6);
  expect(all.notes).toEqual(["The MCP server 'web' describes tools that are not valid: 'headed'. They are left out."]);
  // The server's own SDK warns in the same process.
  expect(written.mock.calls.join()).not.toContain('excluding');
  written.mockRestore();
});

test('hostile addresses harm nothing', async () => {
  const other = { requests: 0 };
  const elsewhere = await served((_, response) => {
    other.requests++;
    response.end();
  });
  const endless = (type: string, text: string) =>
    served((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': type });
      const more = (): void => {
        while (!response.destroyed && response.write(text));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
  const answering = (status: number, headers = {}) =>
    served((request, response) => {
      request.resume();
      response.writeHead(status, headers).end('\u001b[2Jno');
    });
  const all = await connected({
    events: { url: await endless('text/event-stream', 'data: {"jsonrpc":"2.0","method":"a"}\n\n') },
    giant: { url: await endless('application/json', ' '.repeat(100_000)) },
    garbage: { url: await endless('text/event-stream', 'data: x\n\n') },
    html: { url: await answering(200, { 'content-type': 'text/html' }) },
    login: { url: await answering(401) },
    moved: { url: await answering(307, { location: elsewhere }), headers: { Authorization: 'secret' } },
    silent: { url: await served(() => undefined), connectMs: 300 },
  });
  expect(other.requests).toBe(0);
  expect(Object.fromEntries(all.servers().map(({ name, problem }) => [name, problem]))).toEqual({
    events: expect.stringMatching(/sent messages without end, and was left\./),
    giant: expect.stringMatching(/sent a message of more than 16 MiB, and was left\./),
    garbage: expect.stringMatching(/sent what is no message without end, and was left\./),
    html: expect.stringMatching(/was not connected/),
    login: expect.stringMatching(/wants a login \(HTTP 401\)/),
    moved: expect.stringMatching(/was not connected/),
    silent: expect.stringMatching(/did not answer within 0\.3 s\./),
  });
});
