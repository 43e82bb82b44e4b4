import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { execArgv } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Figures, FromProgram, ModelSetting, WorkerSetting } from './setting.js';

/** A process that the bench has started. */
export class Program {
  readonly #process: ChildProcess;
  readonly url: string;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  /** A worker that takes requests. */
  static worker(setting: WorkerSetting, onStored?: (conversationId: string, worker: number) => void): Promise<Program> {
    return started('worker.ts', setting, onStored);
  }

  /** A provider that answers after a time. */
  static model(setting: ModelSetting): Promise<Program> {
    return started('model.ts', setting);
  }

  static of(process: ChildProcess, url: string): Program {
    return new Program(process, url);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  async figures(): Promise<Figures> {
    const answer = new Promise<Figures>((resolve) => {
      const listener = (message: FromProgram) => {
        if (message.type !== 'figures') return;
        this.#process.off('message', listener);
        resolve(message);
      };
      this.#process.on('message', listener);
    });
    this.#process.send('figures');
    return answer;
  }

  kill(signal: 'SIGKILL' | 'SIGSTOP'): void {
    this.#process.kill(signal);
  }

  /** Ends it, however it is. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}

async function started(
  file: string,
  setting: WorkerSetting | ModelSetting,
  onStored?: (conversationId: string, worker: number) => void,
): Promise<Program> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [JSON.stringify(setting)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // DBOS uses `pg` in a way that its next major version refuses.
    execArgv: [...execArgv, '--no-deprecation'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`${file} ended with ${String(code ?? signal)}.`)));
    child.on('message', (message: FromProgram) => {
      if (message.type === 'ready') resolve(message.url ?? '');
      if (message.type === 'stored') onStored?.(message.conversationId, child.pid ?? 0);
      // A figure of runs that fail is none.
      if (message.type === 'failed') throw new Error(`A run failed: ${message.error}`);
    });
  });
  return Program.of(child, url);
}

/** Waits until all have started. If one of them cannot be started, none is left. */
export async function allStarted(starting: readonly Promise<Program>[]): Promise<readonly Program[]> {
  const settled = await Promise.allSettled(starting);
  const programs = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failure = settled.find((one) => one.status === 'rejected');
  if (failure === undefined) return programs;
  await Promise.all(programs.map((program) => program.end()));
  throw failure.reason;
}

/** Resolves after a time. Unit: milliseconds. */
export const elapsed = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
