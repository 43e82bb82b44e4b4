/**
 * Runs tasks of one key one after another, and tasks of different keys concurrently. What a task has checked therefore still holds
 * when the task acts on it. The queue of a key is garbage with the key.
 */
export class TurnQueue {
  readonly #last = new WeakMap<object, Promise<unknown>>();

  /** Runs the task when all earlier tasks of the key have settled. */
  run<Result>(key: object, task: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(task);
    this.#last.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
