/** Does something at once and again and again, with a pause in between, until it is stopped. */
export class Repetition {
  readonly #work: () => Promise<void>;
  readonly #pauseMs: number;
  readonly #onTrouble: ((error: unknown) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #underWay: Promise<void> | undefined;
  #isDue = false;
  #isStopped = false;

  /** @param onTrouble - told when the work fails, which is repeated all the same */
  constructor(work: () => Promise<void>, pauseMs: number, onTrouble: ((error: unknown) => void) | undefined) {
    this.#work = work;
    this.#pauseMs = pauseMs;
    this.#onTrouble = onTrouble;
    this.#after(0);
  }

  /** Does it without a pause: now, or as soon as what is under way has ended. */
  soon(): void {
    if (this.#underWay === undefined) this.#after(0);
    else this.#isDue = true;
  }

  /** Resolves when the work that is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  #after(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#isDue = false;
      this.#underWay = this.#work()
        .catch((error: unknown) => this.#onTrouble?.(error))
        .finally(() => {
          this.#underWay = undefined;
          this.#after(this.#isDue ? 0 : this.#pauseMs);
        });
    }, ms);
  }
}
