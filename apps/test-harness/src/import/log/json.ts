/** A JSON object whose fields are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true for a JSON object, not for an array or `null`. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object; otherwise an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the value if it is a list; otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value if it is a non-empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the value if it is a finite number. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A piece of a line: a JSON value, or text that is not JSON. */
export type JsonPiece = { readonly value: unknown } | { readonly broken: string };

/**
 * Returns the JSON values of one line. A sound line holds one value. If two processes wrote to the same line, the line
 * holds several values, and the text between them is returned as broken.
 */
export function jsonValues(text: string): readonly JsonPiece[] {
  const whole = parse(text);
  if (!('broken' in whole)) return [whole];
  const pieces = split(text).map(parse);
  // A line without any sound object is one broken piece.
  return pieces.some((piece) => !('broken' in piece)) ? pieces : [whole];
}

function parse(text: string): JsonPiece {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { broken: text };
  }
}

/** Splits the text after every complete object or array at depth 0. */
function split(text: string): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = depth > 0;
    } else if (character === '{' || character === '[') {
      if (depth === 0) {
        pieces.push(text.slice(start, index));
        start = index;
      }
      depth++;
    } else if ((character === '}' || character === ']') && depth > 0 && --depth === 0) {
      pieces.push(text.slice(start, index + 1));
      start = index + 1;
    }
  }
  pieces.push(text.slice(start));
  return pieces.filter((piece) => piece.trim() !== '');
}
