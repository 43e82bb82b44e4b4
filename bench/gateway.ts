import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileEventStore } from '@palimpsest/events/file';
import { gatewayOf } from '../apps/gateway/src/core/gateway.js';
import { listen } from '../apps/gateway/src/server/listen.js';
import { upstreamAt } from '../apps/gateway/src/server/upstream.js';
import type { PeerMessage, PeerRequest } from './gateway/peer.js';
import { cpuClock, heldBytes, median } from './measure.js';
import type { Row } from './measure.js';

/** Of a call and its result, at the first request. */
const firstSteps = 500;
const furtherSteps = 30;
const conversations = 10;

/** The address that a client sends to. */
interface Between {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Measures the CPU of the gateway beside that of a proxy that pipes bytes, both in this process, and the memory of the conversations that
 * it holds. Client and provider are a process of their own.
 */
export async function gatewayRequests(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
  const peer = fork(new URL('gateway/peer.ts', import.meta.url));
  const told = async (): Promise<PeerMessage> => ((await once(peer, 'message')) as [PeerMessage])[0];
  /** Returns the CPU of this process for a request, and the bytes of its body. */
  const cost = async (request: PeerRequest): Promise<{ readonly ms: number; readonly bytes: number }> => {
    const answered = told();
    const start = cpuClock();
    peer.send(request);
    const message = await answered;
    return { ms: cpuClock() - start, bytes: 'bytes' in message ? message.bytes : 0 };
  };
  try {
    const first = await told();
    const baseURL = 'baseURL' in first ? first.baseURL : '';
    const proxy = await byteProxy(baseURL);
    const gateway = await gatewayBefore(baseURL, join(folder, 'sessions'));
    // Both have compiled what they run often.
    for (let steps = 0; steps < 10; steps++)
      for (const { url } of [proxy, gateway]) await cost({ url, conversation: 'warm-up', steps: firstSteps + steps });

    const times: Record<'cold' | 'proxy' | 'gateway', number[]> = { cold: [], proxy: [], gateway: [] };
    for (let round = 0; round < 5; round++) {
      const conversation = `cold-${round}`;
      times.cold.push((await cost({ url: gateway.url, conversation, steps: firstSteps })).ms);
    }
    for (let steps = firstSteps + 1; steps <= firstSteps + furtherSteps; steps++) {
      times.proxy.push((await cost({ url: proxy.url, conversation: 'cold-0', steps })).ms);
      times.gateway.push((await cost({ url: gateway.url, conversation: 'cold-0', steps })).ms);
    }
    const before = await memory();
    let bytes = 0;
    for (let each = 0; each < conversations; each++)
      bytes += (await cost({ url: gateway.url, conversation: `held-${each}`, steps: firstSteps })).bytes;
    const held = (await memory()) - before;
    await Promise.all([proxy.close(), gateway.close()]);
    const size = `${(2 * firstSteps).toLocaleString('en-GB')} messages, ${(bytes / conversations / 1e6).toFixed(1)} MB`;
    return [
      { what: `a byte proxy, ${size}, CPU`, figure: median(times.proxy), unit: 'ms' },
      {
        what: `a request through the gateway, ${size}, CPU more than that`,
        figure: median(times.gateway) - median(times.proxy),
        unit: 'ms',
        limits: [25],
      },
      {
        what: `the first request of a conversation, ${size}, CPU`,
        figure: median(times.cold),
        unit: 'ms',
        limits: [500],
      },
      { what: `memory of a conversation behind the gateway, to its body`, figure: held / bytes, limits: [3] },
    ];
  } finally {
    peer.kill();
    await rm(folder, { recursive: true });
  }
}

/** Collected, with what lies beside the heap. Unit: bytes. */
async function memory(): Promise<number> {
  const heap = await heldBytes();
  return heap + process.memoryUsage().arrayBuffers;
}

async function gatewayBefore(baseURL: string, directory: string): Promise<Between> {
  const handle = gatewayOf({ upstream: upstreamAt(baseURL), store: fileEventStore({ directory }) });
  const { origin, close } = await listen({ routes: [{ token: 'token', handle }] });
  return { url: `${origin}/token`, close };
}

async function byteProxy(baseURL: string): Promise<Between> {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const onward = send(`${baseURL}${url ?? ''}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
