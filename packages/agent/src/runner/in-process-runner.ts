import { assertCount } from '../option-checks.js';
import { ConversationWork } from './conversation-work.js';
import type { ConversationWorkOptions } from './conversation-work.js';
import { FairQueue } from './fair-queue.js';
import type { Runner } from './runner.js';
import { RunningWork } from './running-work.js';

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
  const running = new RunningWork();
  let isWorking = false;

  const run = async (id: string): Promise<void> => {
    try {
      const end = await running.run(new ConversationWork(id, options));
      if (end === 'handed-over') queue.add(id);
    } finally {
      fill();
    }
  };

  const fill = (): void => {
    while (isWorking && running.conversationIds.length < maxConcurrentRuns) {
      const { conversationIds } = running;
      const next = queue.take((id) => !conversationIds.includes(id));
      if (next === undefined) return;
      void run(next);
    }
  };

  return {
    async enqueue(conversationId) {
      queue.add(conversationId);
      fill();
    },
    async cancel(conversationId) {
      return (queue.remove(conversationId) ? 1 : 0) + running.cancel(conversationId);
    },
    async start() {
      isWorking = true;
      fill();
    },
    async stop(stopping) {
      isWorking = false;
      await running.stop(stopping);
    },
    async status() {
      return { isWorking, running: running.conversationIds, queued: queue.size };
    },
  };
}
