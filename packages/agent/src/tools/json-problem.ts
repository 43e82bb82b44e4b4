import { parse } from '@humanwhocodes/momoa';

/**
 * Why a text is not JSON, and where. The model reads these words and the log holds them, so they are the same on every engine:
 * the words of `JSON.parse` differ from one version of Node to the next.
 */
export function jsonProblem(text: string): string {
  try {
    parse(text);
  } catch (error) {
    // The character that it names may be half of a pair.
    if (hasPlace(error)) return error.message.toWellFormed();
  }
  return 'it is no JSON text';
}

/** The parser's own errors say where; what the engine throws, as at too deep a nesting, does not. */
function hasPlace(error: unknown): error is Error & { readonly line: number } {
  return error instanceof Error && 'line' in error && 'column' in error;
}
