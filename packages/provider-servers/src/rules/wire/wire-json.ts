/** A JSON object in a request. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object. */
export function objectIn(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** Returns the value if it is a list; otherwise an empty list. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Returns the value if it is text. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns the path (keys joined by dots) of the first text or key in JSON data with a lone surrogate. Undefined if there is none.
 * Strict JSON readers and all UTF-8 writers refuse lone surrogates.
 */
export function placeOfHalf(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (!key.isWellFormed()) return path;
    const found = placeOfHalf(item, path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns true for JSON text with an escaped lone surrogate: `\ud83d` is well-formed text, but its parsed value is not. */
export function parsesToHalf(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    return placeOfHalf(JSON.parse(text)) !== undefined;
  } catch {
    return false;
  }
}

/** The error text of a provider for a body with a lone surrogate. */
export const halfInBody = 'The request body is not valid JSON: no low surrogate in string';
