import type { Condensation, Event, EventStore } from '@palimpsest/events';
import type { AttemptReport, Condenser, View } from '@palimpsest/view';
import type { Codec } from './codecs/codec.js';
import type { ModelOptions } from './model.js';
import type { HistoryTools } from './own-tools.js';

/** Options of `condensedHistory`. */
export interface CondensedHistoryOptions<Message, HostTool extends object = object> extends ModelOptions {
  /** The policy: one of `@palimpsest/condensers`, or your own. */
  readonly condenser: Condenser;
  /** The kind of messages that the host holds: `chatMessages()`, `anthropicMessages()`, `responsesItems()`. */
  readonly codec: Codec<Message, HostTool>;
  /**
   * Keeps our own events (condensations, reports, what was sent for each request), so that a restart goes on without asking a
   * summariser again. @defaultValue they live in the process, as {@link CondensedHistoryOptions.maxMemoryBytes} allows
   */
  readonly store?: EventStore | undefined;
  /**
   * The time that the condenser may take for one decision, unless its own deadline is longer. Then the list goes as it
   * is condensed already, with a `CondenserTimeoutError` as `problem`. Unit: milliseconds; `Infinity` is no deadline.
   * @defaultValue 300000
   */
  readonly condenserTimeoutMs?: number | undefined;
  /**
   * The memory that conversations may take, as estimated from their messages. Those that were not used for longest are
   * given up, and read again when they come back. The one in use is kept, whatever its size. Unit: bytes. @defaultValue
   * 268435456 (256 MiB)
   */
  readonly maxMemoryBytes?: number | undefined;
  /**
   * The treatment of signed thinking of answers that this history has not seen being made, for a model that binds its
   * thinking. `left-out` is right after a restart without a store: such answers may have been made behind a
   * condensation that is not known any more. `sent` is right where the lists are known to come from requests that
   * nobody condensed.
   * @defaultValue 'left-out'
   */
  readonly unknownThinking?: 'left-out' | 'sent' | undefined;
  /**
   * The tools with which the model asks the history: `historyTools()` of `@palimpsest/messages/tools`. Theirs are
   * `history.tools`. On or off for a whole conversation. @defaultValue none: what is hidden, the model cannot ask for
   */
  readonly historyTools?: HistoryTools | undefined;
  /**
   * Leaves out what no provider takes and an abort leaves behind: calls without a result, results without a call, empty answers. A call with an
   * answer of the model between it and its result is sent where the result stands. The list of the host stays. @defaultValue false: a dirty list is sent as it is
   */
  readonly repair?: boolean | undefined;
  /** The clock. @defaultValue the system clock */
  readonly now?: (() => Date) | undefined;
}

/** Options of `fit`. */
export interface FitOptions {
  /**
   * The conversation that the list belongs to: the name under which its events are stored. Lists with different names share nothing.
   * @defaultValue a name made of the user's first message
   */
  readonly conversationId?: string | undefined;
  /**
   * The model that this list goes to, where a conversation has several. A name takes the place of the history's `model`, and what
   * the history states of its model holds for it too. An object takes the place of all of it. Condensations are shared.
   * @defaultValue the history's model
   */
  readonly model?: string | ModelOptions | undefined;
  /** The instructions that are sent beside the messages (`system`, `instructions`). @defaultValue none */
  readonly system?: unknown;
  /** The tools that are sent beside the messages. @defaultValue none */
  readonly tools?: readonly unknown[] | undefined;
  /** The size of what is sent beside the messages, and stands neither in `system` nor in `tools`. Unit: tokens. @defaultValue 0 */
  readonly fixedTokens?: number | undefined;
  /**
   * Messages that are sent behind the list and not kept in it: a reminder of this step. They are counted, not condensed, and no condensation
   * depends on them. A model that binds its thinking to what came before loses the thinking of the answer, because the next request has
   * another beginning. @defaultValue none
   */
  readonly tail?: readonly unknown[] | undefined;
  /**
   * `false`: no new condensation is made, and those that were made hold. What a provider has refused is condensed all the same.
   * `'now'`: a person asks for a condensation, and the condenser's triggers and prices do not count. @defaultValue true
   */
  readonly condense?: boolean | 'now' | undefined;
  /** The subject that a condensation `'now'` should keep. Condensers that ask a model tell it, and
   * a digest prefers the lines that hold its words. @defaultValue none */
  readonly focus?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of `fit`. */
export interface Fitted<Message> {
  /**
   * The messages to send: a new array. Messages that no condensation changed are the host's own objects. The others are copies,
   * and messages that hold a summary.
   */
  readonly messages: Message[];
  /** `untouched`: every message is the host's own, in its place. `condensed`: there is an edit in force, a repair, or a late result. */
  readonly state: 'untouched' | 'condensed';
  /** The condensations that this call has made, in order: their `metadata` says why. */
  readonly condensations: readonly Condensation[];
  /** The condenser's reports in this call: its attempts, and the reasons why it did not act. */
  readonly reports: readonly AttemptReport[];
  /** Estimated size of the host's list and of what is sent. Unit: tokens. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The view of the model, for those who know events. */
  readonly view: View;
  /** The log of the list: the events of its messages, and the history's own, such as condensations. */
  readonly events: readonly Event[];
  /**
   * The condenser, or the store, failed. The messages are those of the condensations that were made before. What could not be
   * stored is stored with the next call. Or a message has a form that the codec does not read ({@link UnreadMessageError}). Or usage had a
   * form that is not known ({@link UnreadUsageError}), which is said once.
   * @defaultValue undefined: nothing failed
   */
  readonly problem?: Error | undefined;
}
