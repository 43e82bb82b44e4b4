/** A piece of a line: a JSON value, or text that is not JSON. */
export type JsonPiece = { readonly value: unknown } | { readonly broken: string };

/**
 * The JSON values of one line. A sound line holds one. A line on which two writers met holds several, and what stands
 * between them is given back as broken.
 */
export function jsonValues(text: string): readonly JsonPiece[] {
  const whole = parse(text);
  if (!('broken' in whole)) return [whole];
  const pieces = split(text).map(parse);
  // Without one sound object in it, the line is one broken thing, not several.
  return pieces.some((piece) => !('broken' in piece)) ? pieces : [whole];
}

function parse(text: string): JsonPiece {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { broken: text };
  }
}

/** Cuts the text after every object or array that is complete at depth 0. */
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
