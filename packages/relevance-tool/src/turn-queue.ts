/**
 * Runs tasks of one key one after another, and those of different keys side by side. What a task checks is therefore still
 * so when it acts on it. A key that nobody else holds is forgotten with its queue.
 */
export class TurnQueue {
  readonly #last = new WeakMap<object, Promise<unknown>>();

  /** Runs the task when all earlier tasks of the key have ended, however they ended. */
  run<Result>(key: object, task: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(task);
    this.#last.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
