import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { bundledProgram } from './bundled-program.js';
import type { FromMortalWorker, MortalWorkerSetting } from './mortal-worker.js';

/** Worker processes that are started anew when they die, as a supervisor does. */
export class MortalWorkers {
  readonly #program: string;
  readonly #setting: MortalWorkerSetting;
  readonly #alive = new Set<ChildProcess>();
  readonly told: FromMortalWorker[] = [];
  deaths = 0;
  #isOver = false;

  private constructor(program: string, setting: MortalWorkerSetting) {
    this.#program = program;
    this.#setting = setting;
  }

  static async start(count: number, setting: MortalWorkerSetting): Promise<MortalWorkers> {
    const workers = new MortalWorkers(await bundledProgram('mortal-worker'), setting);
    for (let index = 0; index < count; index++) workers.#begin();
    return workers;
  }

  /** Kills one of them. */
  kill(index: number): void {
    [...this.#alive].at(index % Math.max(this.#alive.size, 1))?.kill('SIGKILL');
  }

  /** Stops all, and waits for their end. */
  async stop(): Promise<void> {
    this.#isOver = true;
    const ended = [...this.#alive].map((worker) => once(worker, 'exit'));
    for (const worker of this.#alive) if (worker.connected) worker.send('stop');
    await Promise.all(ended);
  }

  killAll(): void {
    this.#isOver = true;
    for (const worker of this.#alive) worker.kill('SIGKILL');
  }

  #begin(): void {
    const worker = fork(this.#program, [JSON.stringify(this.#setting)]);
    this.#alive.add(worker);
    worker.on('message', (message: FromMortalWorker) => this.told.push(message));
    worker.on('exit', () => {
      this.#alive.delete(worker);
      if (this.#isOver) return;
      this.deaths++;
      this.#begin();
    });
  }
}
