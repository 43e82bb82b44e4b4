import { ContextOverflowError } from '@langchain/core/errors';
import { field } from '@palimpsest/messages';

/** The depth to which errors are searched. Each middleware puts an error into one of its own. */
const maxDepth = 20;

/**
 * Returns an overflow as LangChain's models name it, in a form that a history recognises: not every provider writes
 * one. Undefined if the error is none.
 */
export function overflowIn(thrown: unknown): object | undefined {
  let error = thrown;
  for (let depth = 0; depth < maxDepth && error !== undefined; depth++) {
    if (ContextOverflowError.isInstance(error)) {
      return { code: 'context_length_exceeded', message: error.message, cause: error };
    }
    error = field(error, 'cause');
  }
  return undefined;
}
