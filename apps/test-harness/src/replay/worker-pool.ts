import { Tinypool } from 'tinypool';
import type { SessionResults, SessionTask } from './session-task.js';

/** Threads that replay sessions. */
export interface WorkerPool {
  run(task: SessionTask): Promise<SessionResults>;
  /** Ends the threads, also those at work. */
  close(): Promise<void>;
}

/** A pool of at most so many threads. A thread starts when there is work for it. */
export function workerPool(workers: number): WorkerPool {
  const pool = new Tinypool({
    filename: new URL('./replay-worker.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: workers,
    idleTimeout: 10_000,
  });
  return {
    run: (task) => pool.run(task) as Promise<SessionResults>,
    close: () => pool.destroy(),
  };
}
