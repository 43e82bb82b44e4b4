import { isObject, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { ImportedSession, LogSource } from '../log-format.js';

/** A list of messages found in a log, with the other fields of its object. */
export interface FoundConversation {
  readonly messages: readonly unknown[];
  /** The object that holds the list; empty if the list has no such object. */
  readonly beside: JsonObject;
  readonly name: string | undefined;
}

/** Common keys for a list of messages. */
const messageKeys = ['messages', 'traj', 'conversation', 'input'] as const;

/** Keys that name one of several conversations, the most specific first. */
const nameKeys = ['instance_id', 'traj_id', 'conversation_id', 'session_id', 'task_id', 'id'] as const;

/** Lists in lists, as deep as a log has them. A damaged file may be deeper than the stack. */
const deepestList = 8;

/**
 * The lists of messages in a value: the value itself, an object that holds a list, or a list of such objects or lists. Empty
 * for any other value.
 */
export function conversationsIn(
  value: unknown,
  isMessage: (value: unknown) => boolean,
  depth = 0,
): readonly FoundConversation[] {
  if (depth > deepestList) return [];
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isMessage)) return [{ messages: value, beside: {}, name: undefined }];
    const found = value.map((item) =>
      Array.isArray(item) || isObject(item) ? conversationsIn(item, isMessage, depth + 1) : [],
    );
    return value.length > 0 && found.every((conversations) => conversations.length === 1) ? found.flat() : [];
  }
  if (!isObject(value)) return [];
  for (const key of messageKeys) {
    const messages = value[key];
    // A damaged message does not hide the other messages.
    if (Array.isArray(messages) && messages.length > 0 && messages.filter(isMessage).length * 2 > messages.length) {
      return [{ messages, beside: value, name: nameOf(value) }];
    }
  }
  return [];
}

/** Reads the messages of one conversation. */
export interface ConversationReader {
  /** `index` is the position in a list. A message on a line of its own has `line` instead. */
  read(message: JsonObject, place: { readonly index: number; readonly line?: number | undefined }): void;
  finish(): ImportedSession['events'];
}

/**
 * The sessions of a log of messages: one for each list, and one for all messages on lines of their own. `open` receives the
 * object that holds the list.
 */
export async function* readConversations(
  source: LogSource,
  isMessage: (value: unknown) => value is JsonObject,
  open: (beside: JsonObject) => ConversationReader,
): AsyncGenerator<ImportedSession> {
  const { document, notes } = source;
  let onLines: ConversationReader | undefined;
  let lines = 0;
  let sessions = 0;
  for await (const { value, line } of source.records()) {
    if (isMessage(value)) {
      onLines ??= open({});
      onLines.read(value, { index: lines++, line: document === undefined ? line : undefined });
      continue;
    }
    const found = conversationsIn(value, isMessage);
    if (found.length === 0) notes.add('unknown-line-type', 'a line with no messages was left out', line);
    for (const conversation of found) {
      const reader = open(conversation.beside);
      for (const [index, message] of conversation.messages.entries()) {
        if (isObject(message)) reader.read(message, { index });
        else notes.add('unknown-line-type', 'something that is no message was left out', line);
      }
      const isOnly = document !== undefined && found.length === 1;
      yield { name: conversationName(source.name, conversation, sessions++, isOnly), events: reader.finish() };
    }
  }
  if (onLines !== undefined) yield { name: source.name, events: onLines.finish() };
}

/** The name of a session: the name of the file and, if the file has several sessions, what distinguishes this one. */
export function conversationName(
  file: string,
  { name }: Pick<FoundConversation, 'name'>,
  index: number,
  isOnly: boolean,
): string {
  return isOnly ? file : `${file}#${name ?? index + 1}`;
}

function nameOf(value: JsonObject): string | undefined {
  const key = nameKeys.find((name) => textOf(value[name]) !== undefined || typeof value[name] === 'number');
  if (key === undefined) return undefined;
  // tau-bench runs a task several times.
  const trial = typeof value['trial'] === 'number' ? `.${value['trial']}` : '';
  return `${String(value[key])}${trial}`;
}
