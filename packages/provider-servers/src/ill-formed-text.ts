/**
 * Where in JSON data a text or a key holds half of a surrogate pair: keys joined by dots; undefined where nothing does. Readers
 * of JSON that are strict, and everything that writes UTF-8, refuse such halves.
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

/** True for JSON text that holds such a half as an escape: `\ud83d` is plain text, and what it parses to is not. */
export function parsesToHalf(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    return placeOfHalf(JSON.parse(text)) !== undefined;
  } catch {
    return false;
  }
}

/** What a provider says of a body with such a half. */
export const halfInBody = 'The request body is not valid JSON: no low surrogate in string';
