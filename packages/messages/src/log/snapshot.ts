import { isRecord } from '@palimpsest/llm-adapters/wire';

/**
 * The content of a value in one flat list. An object is the number of its keys, then each key with its value. A list is
 * its length, then its items. Text is shared, and so are bytes.
 */
export type Snapshot = readonly unknown[];

// Symbols, because no value of a host is one of these.
const objectBegins = Symbol('object');
const listBegins = Symbol('list');
/** A value that is not looked into, because it comes after the limit of a snapshot. It is never the same. */
const unknown = Symbol('unknown');
/** More than any message has. */
const maxValues = 50_000;
const maxDepth = 100;

/**
 * Notes what a value holds. Hosts change messages in place, and make new ones with the same content: comparing with a snapshot finds
 * both, at the cost of a walk.
 */
export function snapshotOf(value: unknown): Snapshot {
  const snapshot: unknown[] = [];
  note(value, snapshot, 0);
  // A list that has grown holds room for more, and this one is kept.
  return snapshot.slice();
}

function note(value: unknown, snapshot: unknown[], depth: number): void {
  if (typeof value !== 'object' || value === null) {
    snapshot.push(value);
  } else if (snapshot.length > maxValues || depth > maxDepth) {
    snapshot.push(unknown);
  } else if (Array.isArray(value)) {
    snapshot.push(listBegins, value.length);
    for (const item of value as readonly unknown[]) note(item, snapshot, depth + 1);
  } else if (isOpaque(value)) {
    snapshot.push(value);
  } else {
    const count = snapshot.push(objectBegins, 0) - 1;
    let keys = 0;
    for (const key of Object.keys(value)) {
      keys++;
      snapshot.push(key);
      note(key === '__proto__' ? unknown : (value as Readonly<Record<string, unknown>>)[key], snapshot, depth + 1);
    }
    snapshot[count] = keys;
  }
}

/** Returns true if a value has the structure and the content of a snapshot, with its keys in the same order. */
export function isAsBefore(snapshot: Snapshot, value: unknown): boolean {
  return endOf(value, snapshot, 0) !== changed;
}

const changed = -1;

/**
 * Returns where a value ends in a snapshot in which it begins at a place. `changed` if it is another one there. This walk is most
 * of what a further fit of a long list costs.
 */
function endOf(value: unknown, snapshot: Snapshot, at: number): number {
  const before = snapshot[at];
  if (typeof value !== 'object' || value === null) return Object.is(before, value) ? at + 1 : changed;
  let end = at + 2;
  if (before === listBegins) {
    if (!Array.isArray(value) || snapshot[at + 1] !== value.length) return changed;
    for (let index = 0; index < value.length && end !== changed; index++) end = endOf(value[index], snapshot, end);
    return end;
  }
  if (before !== objectBegins) return before === value ? at + 1 : changed;
  if (Array.isArray(value) || (Object.getPrototypeOf(value) !== Object.prototype && isOpaque(value))) return changed;
  // An engine keeps the list of keys for each kind of object, and looks them up in it faster than in the object.
  const keys = Object.keys(value);
  if (keys.length !== snapshot[at + 1]) return changed;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (snapshot[end] !== key) return changed;
    end = endOf((value as Readonly<Record<string, unknown>>)[key], snapshot, end + 1);
    if (end === changed) return changed;
  }
  return end;
}

/** Returns true if two snapshots are of equal values. */
export function isSameSnapshot(one: Snapshot | undefined, other: Snapshot | undefined): boolean {
  if (one === undefined || other === undefined || one.length !== other.length) return one === other;
  return one.every((item, index) => item !== unknown && Object.is(item, other[index]));
}

/** Returns the length of the texts in a snapshot, and of its keys. Unit: characters. */
export function charactersIn(snapshot: Snapshot): number {
  let characters = 0;
  for (const item of snapshot) if (typeof item === 'string') characters += item.length;
  return characters;
}

/** Returns a copy of a value's structure, up to the same limits. */
export function copyOf<Value>(value: Value): Value {
  let left = maxValues;
  const of = (one: unknown, depth: number): unknown => {
    if (!isRecord(one) || isOpaque(one)) return one;
    if (left-- <= 0 || depth > maxDepth) return null;
    if (Array.isArray(one)) return one.map((inner) => of(inner, depth + 1));
    const entries = Object.entries(one).filter(([key]) => key !== '__proto__');
    return Object.fromEntries(entries.map(([key, inner]) => [key, of(inner, depth + 1)]));
  };
  return of(value, 0) as Value;
}

function isOpaque(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof URL || value instanceof Date;
}
