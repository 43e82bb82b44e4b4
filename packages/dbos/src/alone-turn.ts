import type { WorkerLock } from './worker-lock.js';
import type { Workers } from './workers.js';

/** For so many polls a request that has to run alone waits for a worker that runs nothing. */
const idlePolls = 2;
/** For so many polls a worker waits for its runs to be handed over, and so many times longer it then does not. */
const drainPolls = 10;
const drainPauses = 6;

/** The parts of a worker that its turn needs. */
export interface AloneTurnOptions {
  /** The workers of one name share the turns. */
  readonly name: string;
  readonly pollMs: number;
  readonly lock: WorkerLock;
  readonly workers: Workers;
}

/** The turn in which a worker may run a request with nobody beside it: at most half of the workers have one, and at least one. */
export class AloneTurn {
  readonly #options: AloneTurnOptions;
  #held: string | undefined;
  #drainUntil = 0;
  #drainAgainAt = 0;

  constructor(options: AloneTurnOptions) {
    this.#options = options;
  }

  /**
   * Takes a turn, unless the worker has one, or resolves to false. Workers that run nothing come first. One of the turns is tried at each
   * call: soon all are taken.
   *
   * @param waitedMs - for how long a request waits for one
   */
  async take({ isIdle, waitedMs }: { readonly isIdle: boolean; readonly waitedMs: number }): Promise<boolean> {
    if (this.#held !== undefined) return true;
    const { name, pollMs, lock, workers } = this.#options;
    const now = performance.now();
    if (!isIdle && (waitedMs <= idlePolls * pollMs || now <= this.#drainAgainAt)) return false;
    const turns = Math.max(1, Math.floor((await workers.ids()).length / 2));
    const turn = `${name} alone ${Math.floor(Math.random() * turns)}`;
    if (!(await lock.tryTurn(turn))) return false;
    this.#held = turn;
    this.#drainUntil = now + drainPolls * pollMs;
    return true;
  }

  /** Returns true while the worker waits for its other runs to end, and begins none. A step that takes longer holds up itself only. */
  get isDraining(): boolean {
    return performance.now() < this.#drainUntil;
  }

  /** Gives the turn up because a run has not ended: for some time the worker takes none while it runs anything. */
  async giveUp(): Promise<void> {
    this.#drainAgainAt = performance.now() + drainPauses * drainPolls * this.#options.pollMs;
    await this.give();
  }

  async give(): Promise<void> {
    const turn = this.#held;
    this.#held = undefined;
    if (turn !== undefined) await this.#options.lock.giveTurn(turn);
  }

  /** Notes that the session is lost in which it was taken. */
  lose(): void {
    this.#held = undefined;
  }
}
