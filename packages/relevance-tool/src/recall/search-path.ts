import type { Event } from '@palimpsest/events';
import type { Document } from './hidden.js';

/** The documents that a path leads to, in the order in which they are given. */
interface PathDocuments {
  /** Calls whose arguments name the path, and their results. */
  readonly calls: readonly Document[];
  /** Other texts in which the path stands. */
  readonly mentions: readonly Document[];
}

/** Sorts documents by whether a call on a path, or only their text, names it. The rest is left out. */
export function documentsOfPath(documents: readonly Document[], path: string): PathDocuments {
  const calls: Document[] = [];
  const mentions: Document[] = [];
  const isNamed = new Map<Event, boolean>();
  const names = (call: Event): boolean => {
    const known = isNamed.get(call);
    if (known !== undefined) return known;
    const found =
      call.type === 'action' &&
      textsOfArguments(call.toolCall.arguments).some((text) => placeOfPath(text, path) !== undefined);
    isNamed.set(call, found);
    return found;
  };
  for (const document of documents) {
    const call = document.event.type === 'action' ? document.event : document.call;
    if (call !== undefined && names(call)) calls.push(document);
    else if (placeOfPath(document.text, path) !== undefined) mentions.push(document);
  }
  return { calls, mentions };
}

/** Returns a path as it is compared: without quotes, a leading `./`, a trailing slash, and with slashes. */
export function comparablePath(path: string): string {
  return path
    .trim()
    .replace(/^["'`]+|["'`]+$/g, '')
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '')
    .replace(/(?<=.)\/+$/, '');
}

/** Returns the path, and then its shorter ends: a call may name relative to a folder what the model names from the root. */
export function endsOfPath(path: string): readonly string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '..');
  return [...new Set([path, ...names.map((_, index) => names.slice(index).join('/'))])].filter((end) => end !== '');
}

/** A path is compared up to this length. Unit: characters. */
const longestPath = 1_000;

/**
 * Finds the place at which a text names a path, or a file in it. Undefined if it does not. `src/a.ts` is named by
 * `/home/me/app/src/a.ts:12`.
 */
export function placeOfPath(text: string, path: string): number | undefined {
  const wanted = path.slice(0, longestPath);
  const slashed = text.includes('\\') ? text.replaceAll('\\', '/') : text;
  for (let at = slashed.indexOf(wanted); at !== -1; at = slashed.indexOf(wanted, at + 1)) {
    const isStart = at === 0 || !/[\p{L}\p{N}_.@-]/u.test(slashed.charAt(at - 1));
    if (isStart && isEnd(slashed, at + wanted.length)) return at;
  }
  return undefined;
}

/** Returns true where a full stop ends a sentence. A file's name goes on after one. */
function isEnd(text: string, end: number): boolean {
  const next = text.charAt(end);
  if (next === '.') return !/[\p{L}\p{N}_]/u.test(text.charAt(end + 1));
  return next === '' || !/[\p{L}\p{N}_-]/u.test(next);
}

/** Returns the texts in a call's arguments, read as JSON if they are JSON. */
function textsOfArguments(text: string): readonly string[] {
  const waiting: unknown[] = [parsed(text)];
  const texts: string[] = [];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        if (!Array.isArray(value)) texts.push(key);
        waiting.push(item);
      }
    }
  }
  return texts;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
