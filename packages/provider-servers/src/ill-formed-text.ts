/**
 * The path (keys joined by dots) of the first text or key in JSON data with a lone surrogate; undefined if there is none.
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

/** True for JSON text with an escaped lone surrogate: `\ud83d` is well-formed text, but its parsed value is not. */
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
