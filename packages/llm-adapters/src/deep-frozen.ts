/** True for a primitive value, and for a frozen object in which everything is frozen too. */
export function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (!Object.isFrozen(value)) return false;
  // A plain loop without lists: this runs for every new message of a request.
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'object' && !isDeepFrozen(item)) return false;
  }
  return true;
}

/** Freezes plain data and everything in it. What is frozen already is not looked into. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
