import { ConcurrencyError, EventStoreError, PalimpsestError } from '@palimpsest/events';

/**
 * Returns the error of a statement as an {@link EventStoreError}, with the way out where it is known. Our own errors
 * stay as they are.
 */
export function asStoreError(what: string, error: unknown): Error {
  if (PalimpsestError.isInstance(error)) return error;
  const message = error instanceof Error && error.message !== '' ? error.message : String(error);
  const wayOut =
    codeOf(error) === undefinedTable ? ' Run migrate() of @palimpsest/postgres once, before the store is used.' : '';
  return new EventStoreError(`PostgreSQL could not ${what}: ${message}.${wayOut}`, { cause: error });
}

/**
 * Returns the error as {@link asStoreError} does. Where the server chose another transaction over this one, it is a
 * {@link ConcurrencyError}.
 */
export function asAppendError(conversationId: string, error: unknown): Error {
  if (wasOverruled(error)) {
    const reason = error instanceof Error ? error.message : 'another transaction was preferred';
    return new ConcurrencyError({ conversationId, reason, cause: error });
  }
  return asStoreError(`append to '${conversationId}'`, error);
}

/** SQLSTATE: a row still belongs to what is deleted. */
export const foreignKeyViolation = '23503';

/** SQLSTATE: a lock was waited for as long as the session waits. */
export const lockNotAvailable = '55P03';

/** Returns true if the server chose another transaction over this one, which can be repeated as it was. */
export function wasOverruled(error: unknown): boolean {
  const code = codeOf(error);
  return code === serializationFailure || code === deadlock;
}

const undefinedTable = '42P01';
const serializationFailure = '40001';
const deadlock = '40P01';

/** Returns the SQLSTATE of the server's own error; undefined for any other, such as a broken connection. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
