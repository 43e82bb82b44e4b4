import { isRecord } from '@palimpsest/messages';
import { elementsOf, membersOf } from './json-spans.js';
import type { Span } from './json-spans.js';

/** The body of a request whose list can be replaced. */
export interface RequestBody {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly list: readonly unknown[];
  /** The place of the list in the text. */
  readonly span: Span;
}

/**
 * Reads the body of a request. Undefined if it is not UTF-8, no JSON object, names a key twice, is nested deeply, or holds no list under the key: such a
 * body goes on as it came.
 */
export function readBody(bytes: Uint8Array, listKey: string): RequestBody | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || Array.isArray(value)) return undefined;
    const list: unknown = value[listKey];
    if (!Array.isArray(list)) return undefined;
    const members = membersOf(text);
    if (new Set(members.map(({ key }) => key)).size < members.length) return undefined;
    const span = members.find(({ key }) => key === listKey);
    return span && { text, value, list, span };
  } catch {
    return undefined;
  }
}

/**
 * Returns a body with another list in the place of its own. All other bytes stay, and so do those of each message that is an object of the
 * body's own list.
 */
export function withList({ text, list, span }: RequestBody, messages: readonly unknown[]): Uint8Array {
  const elements = elementsOf(text, span);
  const places = new Map(list.map((message, index) => [message, elements[index]]));
  const written = messages.map((message) => {
    const own = typeof message === 'object' && message !== null ? places.get(message) : undefined;
    return own === undefined ? JSON.stringify(message) : text.slice(own.start, own.end);
  });
  return new TextEncoder().encode(`${text.slice(0, span.start)}[${written.join(',')}]${text.slice(span.end)}`);
}
