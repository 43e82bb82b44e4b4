import { isRecord } from '@palimpsest/llm-adapters/wire';

/** A value that is not looked into: what comes after the limit of a snapshot. It is never the same. */
const unknown = Symbol('unknown');
/** More than any message has. */
const maxValues = 50_000;
const maxDepth = 100;

/** A copy of a value's structure. */
export interface Snapshot {
  readonly value: unknown;
  /** The length of the texts in it. Unit: characters. */
  readonly characters: number;
}

/**
 * Copies a value's structure. Hosts change messages in place, and make new ones with the same content: comparing with a
 * snapshot finds both, at the cost of a walk. Text is shared, and so are bytes.
 */
export function snapshotOf(value: unknown): Snapshot {
  let left = maxValues;
  let characters = 0;
  const of = (one: unknown, depth: number): unknown => {
    if (left-- <= 0 || depth > maxDepth) return unknown;
    if (typeof one === 'string') {
      characters += one.length;
      return one;
    }
    if (!isRecord(one) || isOpaque(one)) return one;
    if (Array.isArray(one)) return one.map((inner) => of(inner, depth + 1));
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(one)) {
      if (key === '__proto__') return unknown;
      copy[key] = of(one[key], depth + 1);
    }
    return copy;
  };
  const copy = of(value, 0);
  return { value: copy, characters };
}

/**
 * Whether a value has the structure and the content of a snapshot. This walk is most of what a fit of a long list costs, so it makes no
 * lists of keys, and what JSON makes is looked at first.
 */
export function isAsBefore(snapshot: unknown, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Object.is(snapshot, value);
  if (typeof snapshot !== 'object' || snapshot === null) return Object.is(snapshot, value);
  if (Array.isArray(value)) {
    if (!Array.isArray(snapshot) || snapshot.length !== value.length) return false;
    for (let index = 0; index < value.length; index++) if (!isAsBefore(snapshot[index], value[index])) return false;
    return true;
  }
  if (Array.isArray(snapshot)) return false;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain && isOpaque(value)) return snapshot === value;
  const [then, now] = [snapshot as Record<string, unknown>, value as Record<string, unknown>];
  let count = 0;
  for (const key in now) {
    if (!isPlain && !Object.hasOwn(now, key)) continue;
    const before = then[key];
    if (before === undefined && !Object.hasOwn(then, key)) return false;
    if (!isAsBefore(before, now[key])) return false;
    count++;
  }
  for (const _ in then) count--;
  return count === 0;
}

function isOpaque(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof URL || value instanceof Date;
}
