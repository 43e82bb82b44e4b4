import { assertCount } from '../errors.js';
import { ConversationWork } from './conversation-work.js';
import type { ConversationWorkOptions, WorkEnd } from './conversation-work.js';
import { failuresAfter, isTriedAgain, retryDelayMs } from './retry.js';
import type { Failures } from './retry.js';
import type { Runner } from './runner.js';
import { RunningWork } from './running-work.js';

/** Options of {@link inProcessRunner}. */
export interface InProcessRunnerOptions extends ConversationWorkOptions {
  /** The number of conversations that run at once. @defaultValue 4 */
  readonly maxConcurrentRuns?: number;
  /** Whom a conversation belongs to: tenants take turns. @defaultValue every conversation is a tenant of its own */
  readonly tenantOf?: (conversationId: string) => string;
}

/**
 * Makes a {@link Runner} in this process. Its requests live in memory: after a restart, enqueue what `store.list()` has and you
 * want to go on.
 *
 * @throws RangeError when `maxConcurrentRuns` is out of range.
 */
export function inProcessRunner(options: InProcessRunnerOptions): Runner {
  const { maxConcurrentRuns = 4, tenantOf = (id: string) => id } = options;
  assertCount('maxConcurrentRuns', maxConcurrentRuns, 1);
  const queue = new FairQueue(tenantOf);
  const traces = new RequestTraces();
  const running = new RunningWork();
  const retries = new Retries(options);
  let isWorking = false;

  const run = async (id: string): Promise<void> => {
    const requestedBy = traces.take(id);
    const end = await running.run(new ConversationWork(id, options, requestedBy));
    if (end.type === 'over') retries.forget(id);
    else traces.add(id, ...requestedBy);
    if (end.type === 'handed-over' || (end.type === 'again' && !isWorking)) queue.add(id);
    // A request that came meanwhile waits with it.
    else if (end.type === 'again' && retries.begin(end, id, () => add(id))) queue.remove(id);
    fill();
  };

  const add = (id: string): void => {
    queue.add(id);
    fill();
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
      const traceparent = options.instrumentation?.traceparent?.();
      if (traceparent !== undefined) traces.add(conversationId, traceparent);
      if (!retries.has(conversationId)) add(conversationId);
    },
    async cancel(conversationId) {
      traces.take(conversationId);
      const waiting = queue.remove(conversationId) || retries.forget(conversationId);
      return (waiting ? 1 : 0) + running.cancel(conversationId);
    },
    async start() {
      isWorking = true;
      fill();
    },
    async stop(stopping) {
      isWorking = false;
      for (const id of retries.end()) queue.add(id);
      await running.stop(stopping);
    },
    async status() {
      return { isWorking, running: running.conversationIds, queued: queue.size + retries.size };
    },
  };
}

/** Requests that are tried again later, and what they have failed by. They take no place. */
class Retries {
  readonly #options: ConversationWorkOptions;
  readonly #of = new Map<string, { failures: Failures; timer?: ReturnType<typeof setTimeout> }>();

  constructor(options: ConversationWorkOptions) {
    this.#options = options;
  }

  get size(): number {
    return [...this.#of.values()].filter(({ timer }) => timer !== undefined).length;
  }

  has(id: string): boolean {
    return this.#of.get(id)?.timer !== undefined;
  }

  /** Waits, and then adds the request. False: it is not tried again; this was told. */
  begin(end: Extract<WorkEnd, { readonly type: 'again' }>, id: string, add: () => void): boolean {
    const { onEnd, retryMs } = this.#options;
    const failures = failuresAfter(this.#of.get(id)?.failures, end.reason);
    const isTried = isTriedAgain(failures, this.#options);
    const retryInMs = retryDelayMs(end, failures.count, retryMs);
    onEnd({ type: 'failed', conversationId: id, error: end.error, ...(isTried ? { retryInMs } : {}) });
    this.#of.delete(id);
    if (!isTried) return false;
    const timer = setTimeout(() => {
      this.#of.set(id, { failures });
      add();
    }, retryInMs);
    this.#of.set(id, { failures, timer });
    return true;
  }

  /** Returns true if the request waited to be tried again. */
  forget(id: string): boolean {
    const waited = this.has(id);
    clearTimeout(this.#of.get(id)?.timer);
    this.#of.delete(id);
    return waited;
  }

  /** Ends all waits. Returns whose. */
  end(): readonly string[] {
    return [...this.#of.keys()].filter((id) => this.forget(id));
  }
}

/** The traces of waiting requests. Requests for a conversation become one, so it may be many: the newest are kept. */
class RequestTraces {
  readonly #of = new Map<string, readonly string[]>();

  add(id: string, ...traceparents: readonly string[]): void {
    // As many links as an SDK keeps of a span by default.
    if (traceparents.length > 0) this.#of.set(id, [...(this.#of.get(id) ?? []), ...traceparents].slice(-128));
  }

  take(id: string): readonly string[] {
    const traceparents = this.#of.get(id) ?? [];
    this.#of.delete(id);
    return traceparents;
  }
}

/**
 * Ids that wait, each of them once. The tenants take turns; within a tenant the first comes first. Each operation costs one step, except
 * for ids that may not be taken now.
 */
export class FairQueue {
  readonly #tenantOf: (id: string) => string;
  readonly #waiting = new Map<string, Set<string>>();
  #size = 0;

  constructor(tenantOf: (id: string) => string) {
    this.#tenantOf = tenantOf;
  }

  get size(): number {
    return this.#size;
  }

  add(id: string): void {
    const tenant = this.#tenantOf(id);
    const ids = this.#waiting.get(tenant) ?? new Set();
    if (ids.has(id)) return;
    ids.add(id);
    this.#waiting.set(tenant, ids);
    this.#size++;
  }

  /** Removes an id. False: it does not wait. */
  remove(id: string): boolean {
    const tenant = this.#tenantOf(id);
    const ids = this.#waiting.get(tenant);
    if (ids?.delete(id) !== true) return false;
    this.#size--;
    if (ids.size === 0) this.#waiting.delete(tenant);
    return true;
  }

  /** Takes the next id that may be taken. Its tenant goes to the end. */
  take(mayBeTaken: (id: string) => boolean): string | undefined {
    for (const [tenant, ids] of this.#waiting) {
      for (const id of ids) {
        if (!mayBeTaken(id)) continue;
        ids.delete(id);
        this.#size--;
        this.#waiting.delete(tenant);
        if (ids.size > 0) this.#waiting.set(tenant, ids);
        return id;
      }
    }
    return undefined;
  }
}
