import { DuplicateEventError } from '@palimpsest/events';
import type { ContentPart, EventId } from '@palimpsest/events';
import type { Conversation } from '../conversation/conversation.js';
import type { RunOutcome } from '../outcome.js';

/**
 * A runner of conversations that were requested: several at once up to its limit, one run of a conversation at a time.
 * It reads nothing but the log of a conversation, so a request is no more than an id. Test your own runner with
 * `runnerContract` of `@palimpsest/agent/testing`.
 */
export interface Runner {
  /**
   * Requests a run of a conversation. Resolves when the request is kept. Call it after each message, confirmation or
   * rejection: during a run it means another run afterwards, so that nothing which came too late for the first one is
   * left unread. A request for a conversation that has nothing to do does nothing.
   */
  enqueue(conversationId: string): Promise<void>;

  /**
   * Cancels what was asked for. Requests of the conversation that wait are removed, and its run is interrupted, whichever worker has it:
   * at once in this process, elsewhere when that worker looks next. The model call and the running tools are aborted, and the log says
   * that the run is paused. A conversation that waits for a person still waits, and one that is finished stays so. Requests that come
   * afterwards are served.
   *
   * @returns how many requests were cancelled, under way or waiting; 0: there was nothing to cancel. A run may still be ending.
   */
  cancel(conversationId: string): Promise<number>;

  /** Begins to run conversations. Requests that were kept before are served, too. */
  start(): Promise<void>;

  /**
   * Begins no more runs, and hands over those under way: each ends after its present step, and its request is kept for another worker,
   * or for the next `start`.
   *
   * @param options - `graceMs`: how long a step may take until it is interrupted. Unit: milliseconds. @defaultValue 30000
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;

  status(): Promise<RunnerStatus>;
}

/** The present work of a runner. */
export interface RunnerStatus {
  /** True if it was started, and not stopped since. */
  readonly isWorking: boolean;
  /** The conversations that this worker runs now. */
  readonly running: readonly string[];
  /** Requests that wait, over all workers. */
  readonly queued: number;
}

/** The end of a request, reported to the worker's application, because no caller waits for it. */
export type RunEnd = { readonly conversationId: string } & (
  | { readonly type: 'ended'; readonly outcome: RunOutcome }
  /** The run failed, or the conversation could not be opened. The runner tries again by itself if `retryInMs` is set. */
  | { readonly type: 'failed'; readonly error: unknown; readonly retryInMs?: number }
  /** The request was cancelled before its run had begun. A run that is cancelled has ended, as paused. */
  | { readonly type: 'cancelled' }
  /** The worker was stopped, or has lost the request to another one. */
  | { readonly type: 'handed-over' }
);

/** A message that waits for whoever runs its conversation. */
export interface InboxMessage {
  /** The id that its event will have. The log holds an id once, so the message is delivered once. */
  readonly id: EventId;
  readonly content: readonly ContentPart[];
}

/** The part of an inbox that a worker needs. Messages are put in by anybody, at any time: `postgresInbox` of `@palimpsest/postgres`. */
export interface Inbox {
  /** Returns the messages that wait, oldest first. */
  read(conversationId: string): Promise<readonly InboxMessage[]>;
  /** Takes messages out, whose events are stored. */
  remove(conversationId: string, ids: readonly EventId[]): Promise<void>;
  /**
   * Returns conversations whose oldest message has waited for so long: whoever put it in may have died before the conversation was enqueued.
   * A runner that looks for dead workers enqueues them. Optional.
   *
   * @param options - `olderThanMs`: unit milliseconds; `limit`: of conversations
   */
  overdue?(options: { readonly olderThanMs: number; readonly limit?: number }): Promise<readonly string[]>;
}

/**
 * Delivers what waits: each message is appended, and then taken out. A process that dies in between leaves a message
 * that is in the log already. The next delivery only takes it out. Safe during a run of the same object.
 *
 * @throws {@link ConversationBusyError} when another writer holds the conversation; what the store and the inbox throw. What was not
 *   delivered still waits.
 */
export async function deliver(conversation: Conversation, inbox: Inbox): Promise<void> {
  const messages = await inbox.read(conversation.id);
  for (const { id, content } of messages) {
    await conversation.send(content, { id }).catch((error: unknown) => {
      if (!DuplicateEventError.isInstance(error)) throw error;
    });
    await inbox.remove(conversation.id, [id]);
  }
}
