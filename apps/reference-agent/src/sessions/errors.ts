import { DuplicateEventError, EventStoreError, PalimpsestError } from '@palimpsest/events';

/** A session cannot be found, read or gone on with. Says which, and what to do. */
export class SessionError extends PalimpsestError {
  static override get typeName(): string {
    return 'SessionError';
  }

  /** The session's folder, or the folder of all sessions. */
  readonly folder: string;

  constructor(message: string, options: { readonly folder: string; readonly cause?: unknown }) {
    super('session', message, { cause: options.cause });
    this.folder = options.folder;
  }
}

/** Why a log cannot be read, with the command that repairs a copy, if it is damaged. */
export function whyUnreadable(log: string, cause: unknown): string {
  if (!isDamage(cause)) return (cause as Error).message;
  const why = DuplicateEventError.isInstance(cause)
    ? `${log}: the id '${cause.eventId}' stands there twice`
    : cause.message;
  return `${why}. To repair a copy: palimpsest doctor '${log}'`;
}

/** True for the error of a log that holds something else than events, each once. */
export function isDamage(error: unknown): error is DuplicateEventError | EventStoreError {
  return DuplicateEventError.isInstance(error) || (EventStoreError.isInstance(error) && error.line !== undefined);
}
