import type { KnownContent, KnownThinkingBlock, ReasoningItem } from '@palimpsest/events';

/**
 * One block, part or item of a provider's content in neutral form. A reader takes any JSON value and never throws. It returns the
 * pieces in the order of the wire, and every block, part and item is in one of them: what has no neutral form is `unread`, as it
 * was. Fields that say nothing of the content (marks for the cache, the status and the phase of an item) are left out.
 */
export type Piece = ContentPiece | CallPiece | ResultPiece | ThinkingPiece | UnreadPiece;

/** Words or an image. */
export interface ContentPiece {
  readonly type: 'content';
  readonly part: KnownContent;
  /** The part stands for an unread value: the text of a document, or words that say what is missing. @defaultValue false */
  readonly isStandIn?: true;
  /** The model refuses in these words. @defaultValue false */
  readonly isRefusal?: true;
}

/** A call of a tool. */
export interface CallPiece {
  readonly type: 'call';
  /** Absent where the server sent none. */
  readonly id?: string;
  /** Absent where the server sent none. */
  readonly name?: string;
  /** The JSON text that the model wrote, which need not parse. The free text of a custom tool is `{"input": text}`. */
  readonly arguments: string;
  /** The id of the item that carried the call (Responses). */
  readonly itemId?: string;
  /** A tool with an item type of its own (a shell, a computer), not one that the request declared. @defaultValue false */
  readonly isOwnTool?: true;
  /** Where the call stands in its message, and the call as it was. */
  readonly path: string;
  readonly value: unknown;
}

/** The result of a call. */
export interface ResultPiece {
  readonly type: 'result';
  /** Absent where the wire names no call. */
  readonly toolCallId?: string;
  /** The tool, where the wire names it in place of the call. */
  readonly toolName?: string;
  readonly content: readonly (ContentPiece | UnreadPiece)[];
  readonly isError: boolean;
  /** The result of a call that `isOwnTool`. @defaultValue false */
  readonly isOwnTool?: true;
  readonly path: string;
  readonly value: unknown;
}

/** Thinking in one of the three forms in which providers hand it out. */
export type ThinkingPiece =
  | {
      readonly type: 'thinking';
      readonly block: KnownThinkingBlock;
      /** The signature of the call that follows (Gemini). @defaultValue false */
      readonly isOnCall?: true;
    }
  | { readonly type: 'reasoning-item'; readonly item: ReasoningItem }
  | { readonly type: 'reasoning-text'; readonly text: string };

/** A value that has no neutral form, or less than the wire said. */
export interface UnreadPiece {
  readonly type: 'unread';
  /** Where the value stands in its message: `content.0`. Empty for the message itself. */
  readonly path: string;
  readonly reason: string;
  readonly value: unknown;
}

/** A message or item of a provider in neutral form. */
export interface ReadMessage {
  /** Who speaks; results are the user's. Absent for what is no message: its only piece is `unread`. */
  readonly role?: 'system' | 'user' | 'assistant';
  /** The provider's id of an answer. */
  readonly id?: string;
  /** The user's name. */
  readonly sender?: string;
  readonly pieces: readonly Piece[];
}

/** What a reader returns for a value that is no message. */
export function notAMessage(value: unknown, reason: string): ReadMessage {
  return { pieces: [{ type: 'unread', path: '', reason, value }] };
}

/** The reason for a content that no API has. */
export const notContent = 'content is neither text nor a list of parts';

/** The parts among the pieces. */
export function contentOf(pieces: readonly Piece[]): readonly KnownContent[] {
  return pieces.flatMap((piece) => (piece.type === 'content' ? [piece.part] : []));
}

/** A piece of text. */
export function textPiece(text: string): ContentPiece {
  return { type: 'content', part: { type: 'text', text } };
}

/** Words of ours, or words inside a value that is not sent. */
export function standIn(text: string): ContentPiece {
  return { type: 'content', part: { type: 'text', text }, isStandIn: true };
}
