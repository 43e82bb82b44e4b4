import { isRecord } from '@palimpsest/llm-adapters/wire';

/** A value that is not looked into: what comes after the limit of a snapshot. It is never the same. */
const unknown = Symbol('unknown');
/** More than any message has. */
const maxValues = 50_000;
const maxDepth = 100;

/**
 * A copy of a value's structure. Hosts change messages in place, and make new ones with the same content: comparing with a
 * snapshot finds both, at the cost of a walk. Text is shared, and so are bytes.
 */
export function snapshotOf(value: unknown): unknown {
  let left = maxValues;
  const of = (one: unknown, depth: number): unknown => {
    if (left-- <= 0 || depth > maxDepth) return unknown;
    if (!isRecord(one) || isOpaque(one)) return one;
    if (Array.isArray(one)) return one.map((inner) => of(inner, depth + 1));
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(one)) copy[key] = of(one[key], depth + 1);
    return copy;
  };
  return of(value, 0);
}

/** Whether a value has the structure and the content of a snapshot. */
export function isAsBefore(snapshot: unknown, value: unknown): boolean {
  if (!isRecord(value) || isOpaque(value)) return Object.is(snapshot, value);
  if (!isRecord(snapshot) || Array.isArray(value) !== Array.isArray(snapshot)) return false;
  // Without lists of keys: this walk is most of what a fit of a long list costs.
  let count = 0;
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (!Object.hasOwn(snapshot, key) || !isAsBefore(snapshot[key], value[key])) return false;
    count++;
  }
  for (const key in snapshot) if (Object.hasOwn(snapshot, key)) count--;
  return count === 0;
}

function isOpaque(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof URL || value instanceof Date;
}
