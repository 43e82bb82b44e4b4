import type { ImageContent, KnownContent, ToolDefinition } from '@palimpsest/events';
import type { ReadMessage } from '@palimpsest/llm-adapters/wire';

/**
 * A message of a host in neutral form: what the readers of `@palimpsest/llm-adapters/wire` return, and what a condenser has to
 * know of messages that have no neutral form.
 */
export interface HostMessage extends ReadMessage {
  /**
   * Messages with the same name are kept or forgotten together with everything between them: a request for approval and its
   * answer. @defaultValue the message stands alone (calls and their results always belong together)
   */
  readonly pair?: string | readonly string[];
  /** A later message with its name answers this one, which is never forgotten before that. @defaultValue false */
  readonly isOpen?: true;
  /** The message is never forgotten: a provider's own compaction. @defaultValue false */
  readonly isBarrier?: true;
  /**
   * The provider reads nothing of what stands before the message, the instructions aside: a compaction of its own. So that is sent, and weighs nothing.
   * @defaultValue false
   */
  readonly replacesBefore?: true;
}

/** The change of a call in a message: it is left out, or its arguments are masked. */
export type CallChange = 'left-out' | { readonly arguments: string };

/**
 * The change of a result in a message: it is left out, or the model reads other content (`content`), one line more at
 * its end (`line`), or both.
 */
export type ResultChange =
  'left-out' | { readonly content?: readonly KnownContent[] | undefined; readonly line?: string | undefined };

/** The changes of a message that make a copy of it. What is not named stays as it is, with every field of the host. */
export interface MessageChanges {
  /** All signed thinking of the message is left out: its signature is bound to another history. @defaultValue it stays */
  readonly thinking?: 'left-out' | undefined;
  /**
   * The change of what is neither call, result nor thinking: text, images, and whatever is unread. Left out, or
   * replaced by other parts.
   */
  readonly words?: 'left-out' | readonly KnownContent[] | undefined;
  /** By the id with which {@link Codec.read} names a call; an empty id stands for a call without one. */
  readonly calls?: ReadonlyMap<string, CallChange> | undefined;
  /** By the id of the call that a result answers, as {@link Codec.read} names it; empty for a result that names none. */
  readonly results?: ReadonlyMap<string, ResultChange> | undefined;
}

/**
 * A mark with which a host tells a provider where to cache, as the host wrote it: `{ type: 'ephemeral', ttl: '1h' }`. Opaque, but
 * for its life.
 */
export interface CacheMark {
  readonly value: unknown;
  /**
   * The time for which the provider keeps what is marked, if the mark says so. Marks with longer lives stand first.
   * Unit: milliseconds.
   */
  readonly lifeMs: number;
}

/** The hidden content that the model gets back. */
export interface RecalledContent {
  /** It says what the images and files are. */
  readonly text: string;
  readonly images: readonly ImageContent[];
  /** Parts of the host's own messages. */
  readonly files: readonly unknown[];
  /** True if they stood in a result. Not every API takes images and files there. */
  readonly stoodInResult: boolean;
}

/**
 * The rules by which the messages of one kind of host are read and changed. A codec is stateless and pure, and never
 * throws: hosts hold dirty lists. It never changes a message, and what it returns shares every part that did not
 * change. Test your own with `codecContract` of `@palimpsest/messages/testing`.
 *
 * Two messages are equal if they read as equal pieces. Ids of answers and items, names of fields, the order of keys, cache marks,
 * and whatever `read` does not return do not count, nor does thinking. So `read` has to return every difference that a model can
 * see, as content, call, result or `unread`.
 */
export interface Codec<Message = unknown, HostTool extends object = object> {
  /** For errors and for people: `chat`. */
  readonly name: string;
  /**
   * Reads one message. Any value is possible. A value that is no message has no role and one `unread` piece. Results belong to the role `user`.
   * Calls have the ids that their results name.
   */
  read(message: unknown): HostMessage;
  /**
   * True if `read` returns new objects of the right shape at each call: their events are frozen in place. The readers of
   * `@palimpsest/llm-adapters/wire` do; the values of unread pieces may be the host's. @defaultValue false: each event is checked and copied
   */
  readonly returnsNewPieces?: boolean;
  /**
   * Neighbouring messages of the model are one answer, unless they have different ids: in the Responses API each item is a
   * message.
   */
  readonly mergesAnswers: boolean;
  /** The user's message that holds a summary of forgotten messages. */
  summary(text: string): Message;
  /**
   * A copy of a message with changes. Returns the same message if no change concerns it, and undefined if nothing would be left of it that a provider
   * accepts.
   */
  changed(message: Message, changes: MessageChanges): Message | undefined;
  /**
   * A message with one call or one result of a message and nothing else, for another place in the list: without words, thinking, cache marks
   * and ids by which a provider knows the original. Undefined if the message has no such call or result. Of two results of one call the
   * last counts.
   *
   * @param id - as {@link Codec.read} names it; empty for a call or result that names none
   * @param as - the id that it gets
   */
  extracted(message: Message, id: string, as: string): Message | undefined;
  /**
   * Returns a form that a provider takes of a list whose neighbours a condensation has changed: joins messages of the
   * user where the server wants the roles to alternate, or restores what has to stand first. Not called for a list that
   * is untouched. @defaultValue the list
   */
  arranged?(messages: readonly Message[]): readonly Message[];
  /** The cache marks of a message, in order. @defaultValue the host has none */
  marks?(message: Message): readonly CacheMark[];
  /** A copy of a message with a cache mark at its end. Undefined if it cannot carry one. */
  marked?(message: Message, mark: CacheMark): Message | undefined;
  /**
   * The content of a result of one of the history's own tools, with the images and files that were recalled. @defaultValue the text alone:
   * results of the host hold nothing else
   */
  result?(recalled: RecalledContent): unknown;
  /** A tool in the form in which the host passes tools to its model. */
  tool(definition: ToolDefinition): HostTool;
  /**
   * The instructions that a host passes beside the messages, as text; empty if there are none. @defaultValue `system` is a string or a list of blocks with `text`
   */
  instructions?(system: unknown): string;
}
