/** Does something at once and again and again, with a pause in between, until it is stopped. */
export class Repetition {
  readonly #work: () => Promise<void>;
  readonly #pauseMs: number;
  readonly #onTrouble: ((error: unknown) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** @param onTrouble - told when the work fails, which is repeated all the same */
  constructor(work: () => Promise<void>, pauseMs: number, onTrouble: ((error: unknown) => void) | undefined) {
    this.#work = work;
    this.#pauseMs = pauseMs;
    this.#onTrouble = onTrouble;
    this.#after(0);
  }

  /** Resolves when the work that is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  #after(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.#work()
        .catch((error: unknown) => this.#onTrouble?.(error))
        .finally(() => {
          if (!this.#isStopped) this.#after(this.#pauseMs);
        });
    }, ms);
  }
}
