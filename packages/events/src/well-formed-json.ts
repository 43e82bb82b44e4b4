/**
 * A copy of JSON data in which U+FFFD replaces every half of a surrogate pair in texts and keys, as in
 * `String.prototype.toWellFormed`. Well-formed data is returned unchanged, as the same object; a copy is frozen where it differs.
 * JSON allows such halves, but providers refuse them.
 *
 * Keys that become equal are told apart by more U+FFFD, so that no value is lost.
 */
export function wellFormedJson<T>(value: T): T {
  return isWellFormed(value) ? value : (wellFormed(value) as T);
}

/** A look that makes nothing: nearly all data is well-formed. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (!isWellFormed(item)) return false;
    return true;
  }
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let changed: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      const sound = wellFormed(item);
      if (sound !== item) (changed ??= [...(value as readonly unknown[])])[index] = sound;
    }
    return changed === undefined ? value : Object.freeze(changed);
  }
  const entries = Object.entries(value);
  let isChanged = false;
  const sound = entries.map(([key, item]): [string, unknown] => {
    const change: [string, unknown] = [key.toWellFormed(), wellFormed(item)];
    isChanged ||= change[0] !== key || change[1] !== item;
    return change;
  });
  if (!isChanged) return value;
  const taken = new Set(entries.map(([key]) => key).filter((key) => key.isWellFormed()));
  const copy = sound.map(([key, item], index) => {
    if (key === entries[index]?.[0]) return [key, item];
    let free = key;
    while (taken.has(free)) free += '\ufffd';
    taken.add(free);
    return [free, item];
  });
  return Object.freeze(Object.fromEntries(copy));
}
