import { createHash } from 'node:crypto';
import { field } from '@palimpsest/messages';
import type { Api } from './api.js';

/** The names of a conversation. Both are file names and hold no word of it. */
export interface ConversationNames {
  /** Of its log: lists that begin alike share one, and the edits in it say themselves for which lists they hold. */
  readonly log: string;
  /** Of its receipts, and for its user: sessions that begin alike are told apart by their header. */
  readonly id: string;
  /** The part that it shares with its sub-agents: the header of their session. Without one it is alone. */
  readonly session: string;
}

const headerOfSession = /^(?:x-)?(?:[a-z]+-)*(?:session|conversation)[-_]id$/;

/**
 * Returns the names of the conversation that a list belongs to. They follow from the upstream, the API, and what the user has said before
 * the model's first answer. The credential and the model may change within a conversation, and are no part of it.
 */
export function conversationNames(
  upstream: string,
  { name, codec }: Api,
  list: readonly unknown[],
  headers: Headers,
): ConversationNames {
  const opening: unknown[] = [];
  for (const message of list) {
    const role = roleOf(codec, message);
    if (role === 'assistant') break;
    if (role === 'user') opening.push(field(message, 'content'));
  }
  const log = digest([upstream, name, JSON.stringify(opening, withoutMarks)]);
  const sessions = [...headers].filter(([header]) => headerOfSession.test(header));
  if (sessions.length === 0) return { log, id: log, session: log };
  const header = JSON.stringify(sessions);
  return { log, id: digest([log, header]), session: digest([upstream, header]) };
}

/** Returns true for the list of a first request: the model has answered nothing yet. */
export function isFirstList({ codec }: Api, list: readonly unknown[]): boolean {
  return list.every((message) => roleOf(codec, message) !== 'assistant');
}

function roleOf(codec: Api['codec'], message: unknown): string | undefined {
  try {
    return codec.read(message).role;
  } catch {
    return undefined;
  }
}

/** A client moves its cache marks, and may write a text as a list. */
function withoutMarks(key: string, value: unknown): unknown {
  if (key === 'cache_control' || key === 'prompt_cache_breakpoint') return undefined;
  const [only, ...others] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return others.length === 0 && field(only, 'type') === 'text' ? field(only, 'text') : value;
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
}
