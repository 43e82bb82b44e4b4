import type { ConversationWorkOptions, Runner } from '@palimpsest/agent/runner';
import type { QueueCounts } from './queue-counts.js';
import type { DeadLetter } from './troubles.js';

/** Options of {@link dbosRunner}. */
export interface DbosRunnerOptions extends ConversationWorkOptions {
  /** The database, as a URL with user and database. The tables are made there, in the schemas `dbos` and `palimpsest_dbos`. */
  readonly url: string;
  /** Workers of one name share the requests. @defaultValue 'palimpsest' */
  readonly name?: string;
  /** The number of conversations that this worker runs at once. @defaultValue 4 */
  readonly maxConcurrentRuns?: number;
  /**
   * After what time without a sign of life the server takes a frozen worker for dead. One whose process ended is known to be dead at
   * once. After the same time without an answer the worker takes a connection for lost. Unit: milliseconds. @defaultValue 30000
   */
  readonly leaseMs?: number;
  /**
   * The time between two looks of a worker for requests of dead workers, and for its own that nobody serves. Unit:
   * milliseconds. @defaultValue 5000
   */
  readonly sweepMs?: number;
  /**
   * The time between two looks of a worker with a free place for new requests, and for those of its own that others have cancelled. When
   * a place becomes free, it looks at once. Unit: milliseconds. @defaultValue 1000
   */
  readonly pollMs?: number;
  /**
   * Whom a conversation belongs to: tenants take turns, over all workers. All processes that enqueue must have the same.
   * @defaultValue all conversations are one tenant's: the first comes first
   */
  readonly tenantOf?: (conversationId: string) => string;
  /**
   * The provider of a conversation's model, as in `LLMError.provider`. While it is down, one request tries it and the others wait.
   * @defaultValue not known before a run has failed by it: each conversation tries it once
   */
  readonly providerOf?: (conversationId: string) => string | undefined;
  /**
   * Called when a look for requests, or a note of what came of one, failed, as while the server restarts. It is repeated. Also when `stop`
   * could not put requests back, which others then take over. It must not throw. @defaultValue nothing is told
   */
  readonly onTrouble?: (error: unknown) => void;
}

/** A {@link Runner} on many machines. */
export interface DbosRunner extends Runner {
  /** Counts the requests of all workers. With 100,000 requests it costs the server some tens of milliseconds: keep the answer for some seconds. */
  counts(): Promise<QueueCounts>;
  /** Lists the requests that were given up, the newest first. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /** Runs a conversation again that was given up, as if nothing had happened. Resolves to false if it was not. */
  resume(conversationId: string): Promise<boolean>;
  /** Removes all that is kept of a conversation beside its log and its inbox. Cancel it before: a run under way goes on. */
  forget(conversationId: string): Promise<void>;
}
