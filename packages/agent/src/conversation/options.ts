import type { EventId, EventStore } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import type { Condenser, ViewOptions } from '@palimpsest/view';
import type { Agent } from '../agent.js';
import type { Limits } from '../limits.js';
import type { SecretMask } from '../secrets/mask.js';
import type { StuckThresholds } from '../stuck-detection.js';

/** Who is told of a conversation that other processes run. */
export interface LiveListener {
  /** Events may have been appended. */
  appended(): void;
  /** A piece of the answer in progress. */
  delta(delta: Delta): void;
}

/**
 * A way to tell the followers of conversations in other processes what happens: `postgresLive` of `@palimpsest/postgres`. What is told may get
 * lost. The store tells of appends itself.
 */
export interface LiveChannel {
  /** Tells a piece of the answer in progress. Returns at once, and does not throw. */
  delta(conversationId: string, delta: Delta): void;
  /** Listens until `end`. While `isLive` is false, nothing is heard. */
  subscribe(conversationId: string, listener: LiveListener): { readonly isLive: boolean; end(): void };
}

/** Options of `Conversation.open`. */
export interface ConversationOptions {
  readonly agent: Agent;
  /** @defaultValue a new UUIDv7 */
  readonly conversationId?: string;
  /** The store of the events. @defaultValue nowhere: they live in memory */
  readonly store?: EventStore;
  /**
   * Tells followers in other processes of the answer in progress, and tells followers here of events and answers elsewhere. With it, every
   * answer of the model is streamed. @defaultValue followers look into the store twice a second, and get no pieces of answers
   */
  readonly live?: LiveChannel;
  /** @defaultValue 500 iterations */
  readonly limits?: Partial<Limits>;
  /**
   * Options of the view: its estimate of tokens, its treatment of thinking, and the events that belong together besides calls and
   * their results (`properties`). @defaultValue as the agent's model requires
   */
  readonly view?: ViewOptions;
  /** The thresholds at which a run that makes no progress is ended; `false`: never. @defaultValue {@link defaultStuckThresholds} */
  readonly stuckDetection?: Partial<StuckThresholds> | false;
  /** The model is told when so many model calls are left in a run. Unit: model calls. @defaultValue 10 and 3 */
  readonly reminders?: readonly number[];
  /** Hides the values of secrets in everything that is logged, sent, streamed and returned. @defaultValue nothing is hidden */
  readonly secrets?: SecretMask;
}

/** Options of `Conversation.run`. */
export interface RunOptions {
  /** Interrupts the run, as `Conversation.interrupt` does. The shown part of an answer is stored with `cutOff`. */
  readonly signal?: AbortSignal;
  /** For runners: the traces of the requests that this run serves. @see RunWork.requestedBy @defaultValue the caller waits for the run */
  readonly requestedBy?: readonly string[];
  /**
   * Called with each piece of the model's answers as it arrives. After a `restart`, the pieces since the last complete answer
   * are void: the connection was lost, and the answer begins anew or the run fails. Its errors are ignored.
   */
  readonly onDelta?: (delta: Delta) => void;
}

/** Options of `Conversation.follow`. */
export interface FollowOptions {
  /** The index of the first event. @defaultValue 0 */
  readonly from?: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with the pieces of answers in progress, whichever process runs the conversation: with the option `live`. A follower that comes in the
   * middle of an answer gets its rest, and a piece may be missing: the event has the whole. After a `restart`, the pieces before it are void. Its
   * errors are ignored. @defaultValue pieces are not asked for
   */
  readonly onDelta?: (delta: Delta) => void;
}

/** Options of `Conversation.condense`. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * A wish of the user for what the condensation keeps in view, in their own words: at most 4,000 characters. A condenser that asks
   * a model passes it on; any other ignores it. @defaultValue nothing
   */
  readonly focus?: string | undefined;
  /**
   * Answers this one request in the place of the agent's condenser, which may not follow a focus. The agent's protects, vetoes and
   * limits stay in force. After a restart the agent's condenser answers a request that is still open. @defaultValue the agent's
   */
  readonly condenser?: Condenser | undefined;
}

/** Options of `Conversation.fork`. */
export interface ForkOptions {
  /** The last event that is copied. @defaultValue the newest */
  readonly at?: EventId;
  /** @defaultValue a new UUIDv7 */
  readonly conversationId?: string;
  /** The store of the fork, which must not hold a conversation of this id. @defaultValue nowhere: the fork lives in memory */
  readonly store?: EventStore;
  /** @defaultValue the agent of this conversation, its policies included */
  readonly agent?: Agent;
}
