import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as elapsed } from 'node:timers/promises';
import type { ChaosWorkerSetting, FromChaosWorker } from './chaos-worker.js';

/** The workers of a chaos run. A supervisor starts another one for each that ends. */
export class ChaosFleet {
  readonly #program: string;
  readonly #setting: ChaosWorkerSetting;
  readonly #alive: ChildProcess[] = [];
  /** Those that take requests. */
  readonly #working = new Set<ChildProcess>();
  readonly #thaws: Promise<void>[] = [];
  #isOver = false;
  /** The number of times that a worker has told so. */
  readonly told = new Map<FromChaosWorker['type'], number>();
  /** The errors that ended runs for good. */
  readonly errors = new Set<string>();
  deaths = 0;

  constructor(program: string, workers: number, setting: ChaosWorkerSetting) {
    this.#program = program;
    this.#setting = setting;
    for (let index = 0; index < workers; index++) this.#begin();
  }

  /** Resolves when so many take requests: a fleet of which all are only starting shows nothing. */
  async works(count: number): Promise<void> {
    while (this.#working.size < count) await elapsed(50);
  }

  kill(random: number): void {
    this.#one(random)?.kill('SIGKILL');
  }

  /** Stops a worker as a deployment does. */
  stop(random: number): void {
    this.#one(random)?.kill('SIGTERM');
  }

  /** Freezes a worker for longer than its lease. */
  freeze(random: number): void {
    const worker = this.#one(random);
    worker?.kill('SIGSTOP');
    this.#thaws.push(
      elapsed(this.#setting.leaseMs * 2).then(() => {
        worker?.kill('SIGCONT');
        if (worker?.connected === true) this.#working.add(worker);
      }),
    );
  }

  async end(): Promise<void> {
    await Promise.all(this.#thaws);
    this.#isOver = true;
    const ended = this.#alive.map((worker) => once(worker, 'exit'));
    for (const worker of this.#alive) worker.kill('SIGTERM');
    await Promise.all(ended);
  }

  killAll(): void {
    this.#isOver = true;
    for (const worker of this.#alive) worker.kill('SIGKILL');
  }

  #one(random: number): ChildProcess | undefined {
    const working = [...this.#working];
    const worker = working[Math.floor(random * working.length)];
    if (worker !== undefined) this.#working.delete(worker);
    return worker;
  }

  #begin(): void {
    const worker = fork(this.#program, [JSON.stringify(this.#setting)], {
      // It is bundled: what the bench itself needs to run would slow it down.
      execArgv: [],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    worker.stdout?.on('data', (text) => this.errors.add(`It printed: ${String(text)}`));
    this.#alive.push(worker);
    worker.on('message', ({ type, error }: FromChaosWorker) => {
      this.told.set(type, (this.told.get(type) ?? 0) + 1);
      if (type === 'works') this.#working.add(worker);
      if (type === 'failed') this.errors.add(String(error));
    });
    worker.on('exit', (code) => {
      this.#alive.splice(this.#alive.indexOf(worker), 1);
      this.#working.delete(worker);
      if (code !== 0) this.deaths++;
      if (!this.#isOver) this.#begin();
    });
  }
}
