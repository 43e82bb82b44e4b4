import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { anthropicServer } from '@palimpsest/provider-servers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workerProgram } from '../../test-support/worker-program.js';
import { folderIn } from '../data-folder.js';
import { GatewayError } from '../gateway-error.js';
import type { Receipt } from '../receipts/receipt.js';
import { ReceiptFolder } from '../receipts/receipt-folder.js';
import { supervised } from './supervisor.js';
import type { Supervised, SupervisedOptions } from './supervisor.js';

let data: string;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'palimpsest-gateway-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  delete process.env['PALIMPSEST_CRASH'];
  await rm(data, { recursive: true });
});

interface Running extends Supervised {
  readonly receipts: readonly Receipt[];
  readonly problems: readonly string[];
  ask(words?: string): Promise<Response>;
  /** Asks until there is an answer, as clients do. */
  askAgain(words?: string): Promise<Response>;
}

/** Starts a gateway before a provider that answers everything. */
async function running(crash = '', options: Partial<SupervisedOptions> = {}): Promise<Running> {
  const server = await anthropicServer({ reply: () => ({ content: [{ type: 'text', text: 'It is.' }] }) });
  closing.push(() => server.close());
  const receipts: Receipt[] = [];
  const problems: string[] = [];
  process.env['PALIMPSEST_CRASH'] = crash;
  const before = path.join(import.meta.dirname, '../../test-support/crashes.mjs');
  const gateway = await supervised({
    program: { ...workerProgram, execArgv: ['--import', before, '--max-old-space-size=120'] },
    worker: { routes: [{ name: 'a', upstream: server.baseURL, token: 'a' }], port: 0, data, subscription: false },
    onReceipt: (receipt) => void receipts.push(receipt),
    onProblem: (sentence) => void problems.push(sentence),
    ...options,
  });
  closing.push(() => gateway.stop());
  const ask = (words = 'Is it?') =>
    fetch(`${gateway.origin}/a/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'claude-opus-4-5',
        max_tokens: 100,
        messages: [{ role: 'user', content: words }],
      }),
    });
  const askAgain = async (words?: string): Promise<Response> => {
    for (;;) {
      const response = await ask(words).catch(() => undefined);
      if (response !== undefined) return response;
      await wait(10);
    }
  };
  return Object.assign(Object.create(gateway) as Supervised, { receipts, problems, ask, askAgain });
}

it.each([
  ['is killed', '', 'SIGKILL'],
  ['throws', 'throws', 'SIGUSR2'],
  ['has no memory left', 'fills-memory', 'SIGUSR2'],
] as const)('starts a gateway that %s again, at the same address', async (_, crash, signal) => {
  const gateway = await running(crash);
  expect((await gateway.ask()).status).toBe(200);
  const { pid, origin } = gateway;
  process.kill(pid!, signal);
  while (gateway.pid === pid) await wait(10);
  expect((await gateway.askAgain()).status).toBe(200);
  expect(gateway.origin).toBe(origin);
  expect(gateway.problems).toEqual([]);
});

it('keeps the receipt of each answer that has ended, also when it is killed then', async () => {
  const gateway = await running();
  const { pid } = gateway;
  await (await gateway.ask('Is it one?')).text();
  process.kill(pid!, 'SIGKILL');
  while (gateway.pid === pid) await wait(10);
  await (await gateway.askAgain('Is it two?')).text();
  await gateway.stop();
  const { receipts, skipped } = await new ReceiptFolder(folderIn(data, 'receipts')).read();
  expect(receipts.map(({ status, usage }) => [status, usage !== undefined])).toEqual([
    [200, true],
    [200, true],
  ]);
  expect(skipped).toBe(0);
});

it('leaves signals of a terminal to the command', async () => {
  const gateway = await running();
  const { pid } = gateway;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid!, signal);
  expect((await gateway.ask()).status).toBe(200);
  expect(gateway.pid).toBe(pid);
});

it('has every receipt when it has stopped, and nothing listens then', async () => {
  const gateway = await running();
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => gateway.ask(`Is it ${index}?`).then((each) => each.text())),
  );
  await gateway.stop();
  expect(gateway.receipts).toHaveLength(20);
  await gateway.ended;
  await expect(gateway.ask()).rejects.toThrow();
});

it('passes what ends it again and again', async () => {
  const gateway = await running('poison');
  const text = await (await gateway.askAgain('Is arsenic poison?')).text();
  expect(text).toContain('It is.');
  expect(gateway.receipts).toEqual([]);
  expect(gateway.problems).toEqual([
    'The gateway has ended 3 times: it ended by SIGKILL. It condenses nothing until it works again.',
  ]);

  // After an answer, of which the next one shows that it is known, it starts as at first.
  await (await gateway.ask()).text();
  process.kill(gateway.pid!, 'SIGKILL');
  while (gateway.receipts.length === 0) await (await gateway.askAgain()).text();
  expect(gateway.problems).toHaveLength(1);
});

it('waits for its port while another program has it', async () => {
  const gateway = await running('', { pause: () => wait(20) });
  const { port } = new URL(gateway.origin);
  const other = createServer();
  for (let isTaken = false; !isTaken;) {
    process.kill(gateway.pid!, 'SIGKILL');
    other.listen(Number(port), '127.0.0.1');
    isTaken = await new Promise((resolve) => {
      other.once('listening', () => resolve(true)).once('error', () => resolve(false));
    });
    other.removeAllListeners();
  }
  while (gateway.problems.length === 0) await wait(10);
  expect(gateway.problems[0]).toMatch(/another program listens on its port/);
  other.close();
  expect((await gateway.askAgain()).status).toBe(200);
});

it('says when it gives up', async () => {
  const folder = path.join(import.meta.dirname, '../../dist');
  const copy = path.join(folder, `worker-${process.pid}.copy.js`);
  await copyFile(path.join(folder, 'worker.js'), copy);
  const pauses: number[] = [];
  const pause = async (ms: number) => Promise.resolve(pauses.push(ms));
  const gateway = await running('', { program: { file: copy }, pause });
  await rm(copy);
  process.kill(gateway.pid!, 'SIGKILL');
  await gateway.ended;
  expect(gateway.problems.at(-1)).toBe(
    'The gateway cannot be started again: it ended by status 1. Start the agent without it.',
  );
  // Two seconds at most, half a minute in all.
  expect(pauses.slice(0, 7)).toEqual([50, 100, 200, 400, 800, 1_600, 2_000]);
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(29_150);
});

describe('a gateway that cannot start', () => {
  const start = (port: number, upstream: string) =>
    supervised({
      program: workerProgram,
      worker: { routes: [{ name: 'a', upstream, token: 'a' }], port, data, subscription: false },
      onReceipt: () => undefined,
      onProblem: () => undefined,
    });

  it('says that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    closing.push(async () => Promise.resolve(other.close()));
    const { port } = other.address() as { port: number };
    const error = await start(port, 'https://a.example').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'port', message: expect.stringContaining(`port ${port}: choose another`) });
  });

  it('says that an upstream is no address', async () => {
    await expect(start(0, 'nowhere')).rejects.toThrow("'nowhere' is no address");
  });
});
