import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { isRecord } from '@palimpsest/llm-adapters/wire';
import type { ContentPiece, Piece, UnreadPiece } from '@palimpsest/llm-adapters/wire';
import type { HostMessage } from '../codecs/codec.js';

/** The members of a program's `process` that this module uses, where there is one. */
interface HasBuiltinModules {
  readonly process?: { readonly getBuiltinModule?: (id: 'node:crypto') => typeof import('node:crypto') | undefined };
}

/** Undefined in browsers, and where the program is not told of Node's modules. */
const { createHash } = (globalThis as HasBuiltinModules).process?.getBuiltinModule?.('node:crypto') ?? {};

/**
 * Stands before each digest. Places and names of conversations are stored: a canonical form that changes gets another version, so that
 * no stored digest means another list.
 */
const version = '1:';

/** Returns the digest of a text: the version, and 32 hexadecimal digits of its SHA-256. */
export function digestOf(text: string): string {
  // Node's own takes an eighth of the time of one in JavaScript.
  const hash = createHash?.('sha256').update(text, 'utf8').digest('hex') ?? portableHash(text);
  return version + hash.slice(0, 32);
}

/** Returns the SHA-256 of a text, by JavaScript alone. */
export function portableHash(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** Returns the digest of a message without its thinking. Equal messages have equal digests: see {@link Codec}. */
export function messageDigest(host: HostMessage): string {
  return digestOf(canonicalText(host));
}

/** Returns the part that equal messages have in common: their text without thinking. */
function canonicalText({ role, sender, pieces }: HostMessage): string {
  return JSON.stringify([role ?? '', sender ?? '', ...pieces.flatMap(canonicalPiece)]);
}

/** Returns the digest of a list that goes on by one message. */
export function digestAfter(beginning: string, message: string): string {
  return digestOf(`${beginning} ${message}`);
}

function canonicalPiece(piece: Piece): unknown[] {
  switch (piece.type) {
    case 'call':
      return [['call', piece.id ?? '', piece.name ?? '', canonicalArguments(piece.arguments)]];
    case 'result': {
      const { toolCallId, toolName = '', isError, content } = piece;
      return [['result', toolCallId ?? ` ${toolName}`, isError, ...content.flatMap(canonicalContent)]];
    }
    case 'reasoning-item':
      return [['reasoning', piece.item.encryptedContent ?? piece.item.summary]];
    case 'thinking':
    case 'reasoning-text':
      return [];
    default:
      return canonicalContent(piece);
  }
}

function canonicalContent(piece: ContentPiece | UnreadPiece): unknown[] {
  return [piece.type === 'content' ? canonical(piece.part) : ['unread', canonical(piece.value)]];
}

/** Arguments that parse count as the value, because providers return them as text and as objects. */
function canonicalArguments(text: string): unknown {
  try {
    return canonical(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The names under which hosts mark where a provider caches. They move between requests and no model sees them. */
const marks: ReadonlySet<string> = new Set(['cache_control', 'cacheControl', 'cachePoint', 'prompt_cache_breakpoint']);
/** More than any message has. What comes after it does not count, so that no object is too large to read. */
const maxValues = 200_000;
const maxDepth = 200;

/** Returns a JSON value in one form: keys in order, without marks for the cache and without what is absent or null. */
export function canonical(value: unknown): unknown {
  let left = maxValues;
  const inside = new Set<object>();
  const of = (one: unknown, depth: number): unknown => {
    if (!isRecord(one)) return typeof one === 'bigint' ? String(one) : one;
    if (left-- <= 0 || depth > maxDepth || inside.has(one)) return '…';
    if (ArrayBuffer.isView(one)) return bytesToHex(sha256(new Uint8Array(one.buffer, one.byteOffset, one.byteLength)));
    if (one instanceof URL) return one.href;
    if (one instanceof Date) return String(one);
    inside.add(one);
    const made = Array.isArray(one) ? one.map((inner) => of(inner, depth + 1)) : fieldsOf(one, depth + 1);
    inside.delete(one);
    return made;
  };
  const fieldsOf = (one: Readonly<Record<string, unknown>>, depth: number) =>
    Object.keys(one)
      .filter((key) => !marks.has(key) && one[key] !== undefined && one[key] !== null && typeof one[key] !== 'function')
      .sort()
      .map((key) => [key, of(one[key], depth)]);
  return of(value, 0);
}
