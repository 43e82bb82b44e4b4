import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { Receipt } from '../receipts/receipt.js';
import type { WorkerMessage, WorkerOptions } from './worker.js';

/** A gateway in a process of its own, which is started again when it ends. */
export interface Supervised {
  readonly url: string;
  /** The process that listens now. */
  readonly pid: number | undefined;
  stop(): void;
}

/** Between two starts. Unit: milliseconds. */
const pause = 200;
/** A gateway that cannot be started so many times in a row is given up. */
const mostStarts = 20;

/**
 * Starts a gateway. A crash of it is no end: it listens again on the same port, with the same token.
 *
 * @param program - the file of the worker, with the arguments of Node that it needs
 * @throws what the worker says when it cannot be started at all
 */
export async function supervised(
  program: { readonly file: string; readonly execArgv?: readonly string[] | undefined },
  options: Omit<WorkerOptions, 'port'>,
  onReceipt: (receipt: Receipt) => void,
): Promise<Supervised> {
  let worker: ChildProcess | undefined;
  let isStopped = false;
  let failures = 0;
  const start = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = fork(program.file, [JSON.stringify({ ...options, port })], {
        execArgv: [...(program.execArgv ?? [])],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      worker = child;
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)));
      child.on('message', (message: WorkerMessage) => {
        if (message.type === 'receipt') return onReceipt(message.receipt);
        failures = 0;
        resolve(message.url);
      });
      child.on('exit', () => {
        reject(new Error(`The gateway has ended: ${said.trim()}`));
        if (!isStopped) void again(port === 0 ? Number(new URL(url).port) : port);
      });
    });
  const again = async (port: number): Promise<void> => {
    failures += 1;
    await wait(pause);
    if (!isStopped && failures < mostStarts) await start(port).catch(() => undefined);
  };
  let url = 'http://127.0.0.1:0';
  url = await start(0);
  return {
    url,
    get pid() {
      return worker?.pid;
    },
    stop: () => {
      isStopped = true;
      worker?.kill();
    },
  };
}
