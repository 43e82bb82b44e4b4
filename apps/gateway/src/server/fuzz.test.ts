import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { gatewayBefore } from '../../test-support/gateway-before.js';
import { Dice, hostileRequests } from '../../test-support/hostile-requests.js';
import type { HostileRequest } from '../../test-support/hostile-requests.js';
import { connectTo } from '../../test-support/sockets.js';

/** `npm run test:fuzz -w apps/gateway` sends 10,000. */
const count = Number(process.env['PALIMPSEST_FUZZ_REQUESTS'] ?? 500);
const seed = Number(process.env['PALIMPSEST_FUZZ_SEED'] ?? 7);

it(
  `loses nothing of ${count} hostile requests, and stays`,
  async () => {
    const problems: unknown[] = [];
    const note = (problem: unknown): void => void problems.push(problem);
    process.on('unhandledRejection', note).on('uncaughtException', note);
    const dice = new Dice(seed);
    const received: Buffer[] = [];
    const provider = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', () => undefined);
      incoming.on('end', () => {
        received.push(Buffer.concat(chunks));
        answer(outgoing, dice);
      });
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const gateway = await gatewayBefore(`http://127.0.0.1:${(provider.address() as AddressInfo).port}`);
    onTestFinished(async () => {
      process.off('unhandledRejection', note).off('uncaughtException', note);
      await gateway.close();
      provider.closeAllConnections();
      provider.close();
    });

    const next = hostileRequests(dice);
    let changed = 0;
    for (let index = 0; index < count; index++) {
      const request = next();
      received.length = 0;
      const text = await send(gateway.url, request);
      if (request.goesAt === undefined) expect(text, `an answer to ${index}`).toMatch(/^(?:HTTP\/1\.1 [2-5]|$)/);
      for (const body of received) {
        if (request.goesAt === undefined && body.equals(request.body)) continue;
        // What a client that has gone had sent: all of it, or nothing that ended.
        if (body.equals(request.body)) continue;
        changed++;
        const sent = body.toString();
        expect(() => void JSON.parse(sent), `JSON of ${index}`).not.toThrow();
        expect(
          userWords(request.body).filter((word) => !sent.includes(word)),
          `words of ${index}`,
        ).toEqual([]);
      }
      expect(problems).toEqual([]);
    }
    expect(changed).toBeGreaterThan(count / 20);
  },
  // Two minutes for each thousand.
  Math.max(180_000, count * 120),
);

/** Sends a request as bytes, and returns what comes back until the connection ends. */
async function send(url: string, { path, headers, body, cuts, isChunked, goesAt }: HostileRequest): Promise<string> {
  const { socket, ended } = connectTo(url);
  const { host, pathname } = new URL(url);
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
  const head = [`POST ${pathname}${path} HTTP/1.1`, `host: ${host}`, length, ...headers, 'connection: close', '', ''];
  socket.write(Buffer.from(head.join('\r\n'), 'latin1'));
  const ends = [...cuts, body.length];
  for (const [index, end] of ends.entries()) {
    const part = body.subarray(ends[index - 1] ?? 0, Math.min(end, goesAt ?? end));
    if (part.length > 0 && isChunked) socket.write(`${part.length.toString(16)}\r\n`);
    socket.write(part);
    if (part.length > 0 && isChunked) socket.write('\r\n');
    if (goesAt !== undefined && goesAt <= end) {
      socket.destroy();
      return ended;
    }
    if (cuts.length > 0) await new Promise(setImmediate);
  }
  if (isChunked) socket.write('0\r\n\r\n');
  return ended;
}

/** The words of the user in a list, as far as it can be read. */
function userWords(body: Buffer): readonly string[] {
  const value = JSON.parse(body.toString()) as Record<string, unknown>;
  const list = (value['messages'] ?? value['input']) as readonly { role?: unknown; content?: unknown }[];
  return list.flatMap((message) =>
    message?.role === 'user' ? (JSON.stringify(message.content).match(/uw\d+x/g) ?? []) : [],
  );
}

/** Answers as providers do, and as they should not. */
function answer(outgoing: ServerResponse, dice: Dice): void {
  const usage = { input_tokens: 900, output_tokens: 9, cache_read_input_tokens: 90 };
  const json = JSON.stringify({ id: 'm', content: [{ type: 'text', text: 'It is.' }], usage });
  const end = (status: number, text: string | Buffer, headers: Record<string, string> = {}): void =>
    void outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  const overflow = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  };
  const kinds: readonly (() => void)[] = [
    () => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const data of [{ type: 'message_start', message: { usage } }, { type: 'message_delta', usage }, 'no json'])
        outgoing.write(`data: ${JSON.stringify(data)}\n\n`);
      outgoing.end('data: [DONE]');
    },
    () => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"type":"message_st');
      setImmediate(() => outgoing.destroy());
    },
    () => end(400, JSON.stringify(overflow)),
    () => end(400, 'no json'),
    () => end(413, ''),
    () => end(429, '{}', { 'retry-after': '1' }),
    () => end(500, '<html>'),
    () => end(307, '', { location: 'http://127.0.0.1:9/' }),
    () => end(200, gzipSync(json), { 'content-encoding': 'gzip' }),
    () => end(200, '{"usage":{"input_tokens":"many"}}'),
    () => void outgoing.writeHead(204).end(),
    () => void outgoing.destroy(),
    () => void outgoing.writeHead(200, { 'content-length': '100' }).write('{', () => outgoing.destroy()),
  ];
  if (dice.chance(0.6)) end(200, json);
  else dice.pick(kinds)();
}
