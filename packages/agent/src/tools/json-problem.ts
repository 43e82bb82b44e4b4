import { parse } from '@humanwhocodes/momoa';

/**
 * Says why a text is not JSON, and where. The model reads the message and the log keeps it, so it must be the same on every
 * engine: the messages of `JSON.parse` differ between versions of Node.
 */
export function jsonProblem(text: string): string {
  try {
    parse(text);
  } catch (error) {
    // The message may quote half of a surrogate pair.
    if (hasPlace(error)) return error.message.toWellFormed();
  }
  return 'it is no JSON text';
}

/** The parser's own errors have a place; errors of the engine, as at too deep a nesting, have none. */
function hasPlace(error: unknown): error is Error & { readonly line: number } {
  return error instanceof Error && 'line' in error && 'column' in error;
}
