import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { Receipt } from '../receipts/receipt.js';
import { GatewayError } from '../gateway-error.js';
import { upstreamAddress } from './upstream-address.js';
import type { WorkerCommand, WorkerMessage, WorkerOptions } from './worker-messages.js';

/** A gateway in a process of its own, which is started again when it ends. */
export interface Supervised {
  /** The address that clients send to, followed by a token: `http://127.0.0.1:4123`. It stays when the process is another. */
  readonly origin: string;
  /** The process that listens now. */
  readonly pid: number | undefined;
  /** Resolves when no process is started any more: it was stopped, or cannot be started again. */
  readonly ended: Promise<void>;
  /** Ends the gateway. Resolves when its last receipt has come. */
  stop(): Promise<void>;
}

/** The file of the gateway's process, with the arguments of Node that it needs. */
export interface WorkerProgram {
  readonly file: string;
  readonly execArgv?: readonly string[] | undefined;
}

/** Options of {@link supervised}. */
export interface SupervisedOptions {
  readonly program: WorkerProgram;
  readonly worker: Omit<WorkerOptions, 'passes'>;
  readonly onReceipt: (receipt: Receipt) => void;
  /** Called with a sentence for the user, when something has changed that matters to him. */
  readonly onProblem: (sentence: string) => void;
  /** Waits between an end and the next start. Unit: milliseconds. @defaultValue the timer of Node */
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
}

/** A gateway that ends so many times in a row before it has answered passes what it gets. */
const endsBeforePassing = 3;
/** A gateway that ends so many times in a row before it has answered is given up: after half a minute. */
const mostEnds = 20;
/** Between an end and the next start: it doubles from the one to the other. Unit: milliseconds. */
const pauses = { shortest: 50, longest: 2_000 };
/** The time that a worker has for its last receipts. Unit: milliseconds. */
const stopTimeoutMs = 3_000;

/**
 * Starts a gateway. A crash of it is no end: it listens again on the same port, with the same tokens.
 *
 * @throws {@link GatewayError} when an upstream is no address, the port is taken, or it cannot be started for another reason
 */
export async function supervised(options: SupervisedOptions): Promise<Supervised> {
  const { onProblem, pause = wait } = options;
  for (const { upstream } of options.worker.routes) upstreamAddress(upstream);
  let worker = startWorker(options, options.worker);
  const origin = await worker.listening;
  const port = Number(new URL(origin).port);
  let isStopped = false;
  const keep = async (): Promise<void> => {
    for (let ends = 0; ;) {
      const reason = await worker.ended;
      if (isStopped) return;
      ends = worker.hasAnswered() ? 1 : ends + 1;
      if (ends === mostEnds)
        return onProblem(`The gateway cannot be started again: ${reason}. Start the agent without it.`);
      if (ends === endsBeforePassing)
        onProblem(`The gateway has ended ${ends} times: ${reason}. It condenses nothing until it works again.`);
      await pause(Math.min(pauses.shortest * 2 ** (ends - 1), pauses.longest));
      if (isStopped) return;
      worker = startWorker(options, { ...options.worker, port, passes: ends >= endsBeforePassing });
      worker.listening.catch(() => undefined);
    }
  };
  const ended = keep();
  return {
    origin,
    get pid() {
      return worker.child.pid;
    },
    ended,
    stop: async () => {
      isStopped = true;
      tell(worker.child, { type: 'stop' });
      const late = setTimeout(() => worker.child.kill('SIGKILL'), stopTimeoutMs);
      await worker.ended;
      clearTimeout(late);
    },
  };
}

interface Worker {
  readonly child: ChildProcess;
  /** Its origin. Rejects if it ends before it listens. */
  readonly listening: Promise<string>;
  /** Why it has ended, as a part of a sentence. */
  readonly ended: Promise<string>;
  hasAnswered(): boolean;
}

function startWorker({ program, onReceipt }: SupervisedOptions, options: WorkerOptions): Worker {
  const child = fork(program.file, [], {
    execArgv: [...(program.execArgv ?? [])],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let hasAnswered = false;
  let code = '';
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-10_000)));
  const listening = new Promise<string>((resolve, reject) => {
    child.on('message', (message: WorkerMessage) => {
      if (message.type === 'listening') resolve(message.origin);
      else if (message.type === 'receipt') onReceipt(message.receipt);
      else if (message.type === 'answered') hasAnswered = true;
      else if (message.type === 'failed') code = message.code;
    });
    child.on('error', reject);
    child.on('close', (status, signal) =>
      reject(startError(code, options.port, reasonOf(code, said, signal ?? status))),
    );
  });
  const ended = new Promise<string>((resolve) => {
    child.on('error', ({ message }) => resolve(message));
    // With all that it has written, and behind its last message.
    child.on('close', (status, signal) => resolve(reasonOf(code, said, signal ?? status)));
  });
  tell(child, { type: 'start', options });
  return { child, listening, ended, hasAnswered: () => hasAnswered };
}

/** A worker that has ended hears nothing. */
function tell(child: ChildProcess, command: WorkerCommand): void {
  if (child.connected) child.send(command, () => undefined);
}

/** Returns why a worker has ended, as a part of a sentence: its own line, or the one of the engine that has no memory left. */
function reasonOf(code: string, said: string, end: NodeJS.Signals | number | null): string {
  if (code === 'EADDRINUSE') return 'another program listens on its port';
  const [line = ''] = /^(?:FATAL ERROR|palimpsest-gateway): .*/m.exec(said) ?? [];
  if (line !== '') return line.replace(/^[^:]*: /, '');
  return code === '' ? `it ended by ${typeof end === 'string' ? end : `status ${end}`}` : code;
}

function startError(code: string, port: number, reason: string): GatewayError {
  if (code === 'EADDRINUSE')
    return new GatewayError('port', `Another program listens on port ${port}: choose another one with --port.`);
  if (code === 'EACCES')
    return new GatewayError('port', `This user may not listen on port ${port}: choose another one with --port.`);
  return new GatewayError('not-started', `The gateway could not be started: ${reason}.`);
}
