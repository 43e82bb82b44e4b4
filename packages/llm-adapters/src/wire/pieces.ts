import { isKnownContent } from '@palimpsest/events';
import type { HostFile, KnownContent, KnownThinkingBlock, ReasoningItem, ToolDefinition } from '@palimpsest/events';
import type { CallState } from '../llm.js';
import { field, isRecord, textOf } from './json-fields.js';
import { isReadableInput } from './tool-input.js';
import type { ToolNames } from './tool-names.js';

/**
 * One block, part or item of a provider's content in neutral form. A reader takes any JSON value and never throws. It returns
 * the pieces in the order of the wire. Every block, part and item is in one of the pieces: a value without a neutral form is
 * kept unchanged as `unread`. Fields that do not describe the content (cache marks, the status and the phase of an item) are
 * left out.
 */
export type Piece = ContentPiece | CallPiece | ResultPiece | ThinkingPiece | UnreadPiece;

/** Text or an image; in the log of a host that sends its own messages, also a file that the host holds. */
export interface ContentPiece {
  readonly type: 'content';
  readonly part: KnownContent | HostFile;
  /**
   * The part is a substitute for an unread value: the text of a document, or a text that says what is missing.
   * @defaultValue false
   */
  readonly isStandIn?: true;
  /** The text is a refusal of the model. @defaultValue false */
  readonly isRefusal?: true;
  /** The text is of the user's program (its set-up, a reminder), not of the user. @defaultValue false */
  readonly isPreamble?: true;
}

/** A call of a tool. */
export interface CallPiece {
  readonly type: 'call';
  /** Absent if the server sent none. */
  readonly id?: string;
  /** Absent if the server sent none. */
  readonly name?: string;
  /** The JSON text that the model wrote, which need not parse. The free text of a custom tool is `{"input": text}`. */
  readonly arguments: string;
  /** The state of the call by the wire, besides its arguments' text. @defaultValue `as-written` */
  readonly state?: CallState;
  /** The id of the item that carried the call (Responses). */
  readonly itemId?: string;
  /** The tool has its own item type (a shell, a computer) and is not declared by the request. @defaultValue false */
  readonly isOwnTool?: true;
  /** The call's path in its message, and the original call. */
  readonly path: string;
  readonly value: unknown;
}

/** The result of a call. */
export interface ResultPiece {
  readonly type: 'result';
  /** Absent if the wire names no call. */
  readonly toolCallId?: string;
  /** The tool's name, if the wire names the tool instead of the call. */
  readonly toolName?: string;
  readonly content: readonly (ContentPiece | UnreadPiece)[];
  readonly isError: boolean;
  /** The result of a call that `isOwnTool`. @defaultValue false */
  readonly isOwnTool?: true;
  readonly path: string;
  readonly value: unknown;
}

/** Thinking in one of the three forms that providers use. */
export type ThinkingPiece =
  | {
      readonly type: 'thinking';
      readonly block: KnownThinkingBlock;
      /** The signature of the call that follows (Gemini). @defaultValue false */
      readonly isOnCall?: true;
    }
  | { readonly type: 'reasoning-item'; readonly item: ReasoningItem }
  | { readonly type: 'reasoning-text'; readonly text: string };

/** A value without a neutral form, or whose neutral form loses information. */
export interface UnreadPiece {
  readonly type: 'unread';
  /** The path of the value in its message: `content.0`. Empty for the message itself. */
  readonly path: string;
  readonly reason: string;
  readonly value: unknown;
}

/** A message or item of a provider in neutral form. */
export interface ReadMessage {
  /**
   * The role of the author; results belong to the user. Absent if the value is not a message: then its only piece is `unread`.
   */
  readonly role?: 'system' | 'user' | 'assistant';
  /** The provider's id of an answer. */
  readonly id?: string;
  /** The user's name. */
  readonly sender?: string;
  /** The author of a message of the role `user`, if not the user. @defaultValue `user` */
  readonly source?: 'environment';
  readonly pieces: readonly Piece[];
}

/** Returns the reading of a value that is not a message. */
export function notAMessage(value: unknown, reason: string): ReadMessage {
  return { pieces: [{ type: 'unread', path: '', reason, value }] };
}

/** The reason for a content in a form that no API uses. */
export const notContent = 'content is neither text nor a list of parts';

/** Returns the parts among the pieces that can be sent. */
export function contentOf(pieces: readonly Piece[]): readonly KnownContent[] {
  return partsOf(pieces).filter(isKnownContent);
}

/** Returns the parts among the pieces. */
export function partsOf(pieces: readonly Piece[]): readonly (KnownContent | HostFile)[] {
  const parts: (KnownContent | HostFile)[] = [];
  for (const piece of pieces) if (piece.type === 'content') parts.push(piece.part);
  return parts;
}

/** Returns a piece of text. */
export function textPiece(text: string): ContentPiece {
  return { type: 'content', part: { type: 'text', text } };
}

/** Returns a text of ours, or a text inside a value that is not sent. */
export function standIn(text: string): ContentPiece {
  return { type: 'content', part: { type: 'text', text }, isStandIn: true };
}

/** The name of a call for which the model gave no name. Every provider accepts it in a history. */
export const unnamedToolName = 'unnamed_tool';

/** The tool name of a result without a call. */
export const unknownToolName = 'unknown_tool';

/** Returns the tool name of a call, from any value that the server sent as the name. */
export function receivedToolName(name: unknown, names: Pick<ToolNames, 'fromWire'>): string {
  const text = textOf(name);
  return text === undefined || text.trim() === '' ? unnamedToolName : names.fromWire(text);
}

/** Returns the state of a call by the value in which its arguments came: only text is raw. */
export function stateOf(value: unknown): CallState {
  return typeof value === 'string' ? 'as-written' : 'parsed';
}

/**
 * Returns the piece of a call behind which the provider went on: a call is then whole, where its text cannot say so.
 */
export function followed(piece: Piece): Piece {
  if (piece.type !== 'call') return piece;
  const { state = 'as-written', arguments: text } = piece;
  const saysNothing = state === 'parsed' || (state === 'as-written' && text.trim() === '');
  return saysNothing ? { ...piece, state: 'complete' } : piece;
}

/** Returns the arguments of a call as JSON text: some servers send parsed arguments, some send none. */
export function receivedArguments(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

/**
 * Returns the free text of a custom tool's call as arguments: a JSON object with the field `input`. Text that is a JSON
 * object stays unchanged.
 */
export function customToolArguments(input: unknown): string {
  const text = receivedArguments(input);
  return text.trim() !== '' && isReadableInput(text) ? text : JSON.stringify({ input: text });
}

/**
 * Reads a tool that a request declares, in the form of any of the three APIs: `{ function: { name, parameters } }`, `{
 * name, parameters }`, `{ name, input_schema }`. Undefined for a tool that only the provider runs and for a tool
 * without JSON input: such a tool has its own type and no schema.
 */
export function readTool(tool: unknown): ToolDefinition | undefined {
  const declared = isRecord(field(tool, 'function')) ? field(tool, 'function') : tool;
  const name = textOf(field(declared, 'name'));
  const schema = field(declared, 'parameters') ?? field(declared, 'input_schema') ?? field(declared, 'inputSchema');
  const type = field(tool, 'type');
  const isSchema = isRecord(schema) && !Array.isArray(schema);
  if (name === undefined || (!isSchema && type !== undefined && type !== 'function')) return undefined;
  return {
    name,
    description: textOf(field(declared, 'description')) ?? '',
    inputSchema: isSchema ? schema : { type: 'object', properties: {} },
  };
}
