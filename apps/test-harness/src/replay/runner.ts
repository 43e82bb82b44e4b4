import { setImmediate } from 'node:timers/promises';

/** Runs tasks, in threads or in this one. */
export interface Runner<Task, Result> {
  run(task: Task): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Returns what runs tasks with a function. What makes threads is loaded only if there are some, and the function only where it runs: that
 * takes long.
 *
 * @param workers - The number of threads. 0: this one.
 * @param name - of the function in the file of the worker
 * @param load - loads the function for this thread
 */
export async function runnerOf<Task, Result>(
  workers: number,
  name: string,
  load: () => Promise<(task: Task) => Promise<Result>>,
): Promise<Runner<Task, Result>> {
  if (workers === 0) {
    const work = await load();
    const run = async (task: Task): Promise<Result> => {
      // A signal is heard between two tasks.
      await setImmediate();
      return work(task);
    };
    return { run, close: () => Promise.resolve() };
  }
  const { Tinypool } = await import('tinypool');
  const pool = new Tinypool({
    filename: new URL('./worker.js', import.meta.url).href,
    // A thread starts when there is work for it.
    minThreads: 0,
    maxThreads: workers,
    idleTimeout: 10_000,
  });
  return { run: (task) => pool.run(task, { name }) as Promise<Result>, close: () => pool.destroy() };
}
