import { isAscii, isUtf8 } from 'node:buffer';
import { isRecord } from '@palimpsest/messages';
import { elementsOf, membersOf } from './json-spans.js';
import type { Span } from './json-spans.js';

/** The body of a request whose list can be replaced. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly value: Readonly<Record<string, unknown>>;
  readonly list: readonly unknown[];
  /** The place of the list in the bytes. */
  readonly span: Span;
  /** The places of its messages in the bytes. */
  readonly elements: readonly Span[];
}

/**
 * Reads the body of a request. Undefined if it is not UTF-8, no JSON object, names a key twice, is nested deeply, or holds no list under the key:
 * such a body goes on as it came.
 *
 * @param earlier - a body that was read under the same key. The messages with which both begin are taken from it, and not read again.
 */
export function readBody(bytes: Uint8Array, listKey: string, earlier?: RequestBody): RequestBody | undefined {
  try {
    return (earlier && readBehind(bytes, listKey, earlier)) ?? readWhole(bytes, listKey);
  } catch {
    return undefined;
  }
}

/**
 * Returns a body with another list in the place of its own. All other bytes stay, and so do those of each message that is an object of the
 * body's own list.
 */
export function withList({ bytes, list, span, elements }: RequestBody, messages: readonly unknown[]): Uint8Array {
  const places = new Map(list.map((message, index) => [message, elements[index]]));
  const parts: Uint8Array[] = [bytes.subarray(0, span.start + 1)];
  for (const message of messages) {
    const own = typeof message === 'object' && message !== null ? places.get(message) : undefined;
    if (parts.length > 1) parts.push(comma);
    parts.push(own === undefined ? Buffer.from(JSON.stringify(message)) : bytes.subarray(own.start, own.end));
  }
  return Buffer.concat([...parts, bytes.subarray(span.end - 1)]);
}

/** Returns the number of bytes with which both begin. */
export function commonLength(one: Uint8Array, other: Uint8Array): number {
  let [low, high] = [0, Math.min(one.length, other.length)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.compare(one.subarray(low, middle), other.subarray(low, middle)) === 0) low = middle;
    else high = middle - 1;
  }
  return low;
}

const comma = Buffer.from(',');

/** @throws SyntaxError when it is no JSON, RangeError when it is nested deeply */
function readWhole(bytes: Uint8Array, listKey: string): RequestBody | undefined {
  // TextDecoder takes longer for what is not ASCII, and to find that it is no UTF-8.
  if (!isUtf8(bytes)) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // One character a byte: places in it are places in the bytes.
  const scanned = buffer.toString('latin1');
  const value: unknown = JSON.parse(isAscii(bytes) ? scanned : buffer.toString('utf8'));
  if (!isRecord(value) || Array.isArray(value)) return undefined;
  const list: unknown = value[listKey];
  if (!Array.isArray(list)) return undefined;
  const members = membersOf(scanned);
  if (new Set(members.map(({ key }) => key)).size < members.length) return undefined;
  const span = members.find(({ key }) => key === listKey);
  if (span === undefined) return undefined;
  const { start, end } = span;
  return { bytes, value, list, span: { start, end }, elements: elementsOf(scanned, span) };
}

/** Reads a body without the messages that an earlier one begins with, and puts them before the others. Undefined if there are none. */
function readBehind(bytes: Uint8Array, listKey: string, earlier: RequestBody): RequestBody | undefined {
  const common = commonLength(bytes, earlier.bytes);
  const firstChanged = earlier.elements.findIndex(({ end }) => end > common);
  const known = firstChanged === -1 ? earlier.elements.length : firstChanged;
  const last = earlier.elements[known - 1];
  // What ends with a bracket or a quote ends there, whatever follows.
  if (last === undefined || !closers.includes(bytes[last.end - 1] ?? 0)) return undefined;
  let from = blankEnd(bytes, last.end);
  if (bytes[from] === commaCode) {
    from = blankEnd(bytes, from + 1);
    if (bytes[from] === bracketCode) return undefined;
  } else if (bytes[from] !== bracketCode) return undefined;
  const head = earlier.span.start + 1;
  const rest = readWhole(Buffer.concat([bytes.subarray(0, head), bytes.subarray(from)]), listKey);
  // Another key of the same name may stand behind the list: then the whole is read, and refused.
  if (rest === undefined || rest.span.start !== earlier.span.start) return undefined;
  const moved = ({ start, end }: Span): Span => ({ start: start + from - head, end: end + from - head });
  const list = [...earlier.list.slice(0, known), ...rest.list];
  return {
    bytes,
    value: { ...rest.value, [listKey]: list },
    list,
    span: { start: earlier.span.start, end: moved(rest.span).end },
    elements: [...earlier.elements.slice(0, known), ...rest.elements.map(moved)],
  };
}

const commaCode = 0x2c;
const bracketCode = 0x5d;
const closers = Buffer.from('}]"');

function blankEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (end < bytes.length && ' \n\r\t'.includes(String.fromCharCode(bytes[end] ?? 0))) end++;
  return end;
}
