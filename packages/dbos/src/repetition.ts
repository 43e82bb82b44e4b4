/** Does something at once and again and again, with a pause in between, until it is stopped. */
export class Repetition {
  readonly #work: (isEarly: boolean) => Promise<void>;
  readonly #pauseMs: number;
  readonly #onTrouble: ((error: unknown) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #underWay: Promise<void> | undefined;
  /** When it is due without being asked for. Unit: milliseconds of `performance.now`. */
  #dueAt = 0;
  #isWanted = false;
  #isStopped = false;

  /**
   * @param work - is told whether it was asked for early: then it comes beside those that have a pause in between
   * @param onTrouble - told when the work fails, which is repeated all the same
   */
  constructor(
    work: (isEarly: boolean) => Promise<void>,
    pauseMs: number,
    onTrouble: ((error: unknown) => void) | undefined,
  ) {
    this.#work = work;
    this.#pauseMs = pauseMs;
    this.#onTrouble = onTrouble;
    this.#after(0);
  }

  /** Does it without a pause: now, or as soon as what is under way has ended. */
  soon(): void {
    this.#isWanted = true;
    if (this.#underWay === undefined) this.#after(0);
  }

  /** Resolves when the work that is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  #after(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => this.#begin(), ms);
  }

  #begin(): void {
    const isEarly = performance.now() < this.#dueAt;
    if (!isEarly) this.#dueAt = performance.now() + this.#pauseMs;
    this.#isWanted = false;
    this.#underWay = this.#work(isEarly)
      .catch((error: unknown) => this.#onTrouble?.(error))
      .finally(() => {
        this.#underWay = undefined;
        // After the work and not before it: work that takes longer than the pause is followed by one, too.
        const waitMs = isEarly ? Math.max(this.#dueAt - performance.now(), 0) : this.#pauseMs;
        if (!isEarly) this.#dueAt = performance.now() + this.#pauseMs;
        this.#after(this.#isWanted ? 0 : waitMs);
      });
  }
}
