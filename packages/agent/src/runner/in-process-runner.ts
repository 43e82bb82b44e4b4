import { assertCount } from '../option-checks.js';
import { ConversationWork } from './conversation-work.js';
import type { ConversationWorkOptions } from './conversation-work.js';
import { FairQueue } from './fair-queue.js';
import type { Runner } from './runner.js';
import { stopAll } from './stopping.js';

/** Options of {@link inProcessRunner}. */
export interface InProcessRunnerOptions extends ConversationWorkOptions {
  /** How many conversations run at once. @defaultValue 4 */
  readonly maxConcurrentRuns?: number;
  /** Whom a conversation belongs to: tenants take turns. @defaultValue every conversation is a tenant of its own */
  readonly tenantOf?: (conversationId: string) => string;
}

/**
 * A {@link Runner} in this process. Its requests live in memory: after a restart, enqueue what `store.list()` has and you want to go on.
 *
 * @throws RangeError when `maxConcurrentRuns` is out of range.
 */
export function inProcessRunner(options: InProcessRunnerOptions): Runner {
  const { maxConcurrentRuns = 4, tenantOf = (id: string) => id } = options;
  assertCount('maxConcurrentRuns', maxConcurrentRuns, 1);
  const queue = new FairQueue(tenantOf);
  const running = new Map<ConversationWork, Promise<unknown>>();
  let isWorking = false;

  const isRunning = (id: string) => [...running.keys()].some(({ conversationId }) => conversationId === id);

  const begin = (id: string): void => {
    const work = new ConversationWork(id, options);
    const done = work
      .done()
      .then((end) => {
        if (end === 'handed-over') queue.add(id);
      })
      .finally(() => {
        running.delete(work);
        fill();
      });
    running.set(work, done);
  };

  const fill = (): void => {
    while (isWorking && running.size < maxConcurrentRuns) {
      const next = queue.take((id) => !isRunning(id));
      if (next === undefined) return;
      begin(next);
    }
  };

  return {
    async enqueue(conversationId) {
      queue.add(conversationId);
      fill();
    },
    async cancel(conversationId) {
      const waited = queue.remove(conversationId) ? 1 : 0;
      const works = [...running.keys()].filter((work) => work.conversationId === conversationId);
      for (const work of works) work.cancel();
      return waited + works.length;
    },
    async start() {
      isWorking = true;
      fill();
    },
    async stop(stopping) {
      isWorking = false;
      await stopAll(running, stopping);
    },
    async status() {
      return { isWorking, running: [...running.keys()].map((work) => work.conversationId), queued: queue.size };
    },
  };
}
