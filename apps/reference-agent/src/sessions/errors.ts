import { PalimpsestError } from '@palimpsest/events';

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
