import { PalimpsestError } from '@palimpsest/events';

/** A condenser had to act and could not. The view is unchanged; the host decides what comes next. */
export class NoCondensationAvailableError extends PalimpsestError {
  static override get typeName(): string {
    return 'NoCondensationAvailableError';
  }

  constructor(reason: string, options?: { readonly cause?: unknown }) {
    super('no-condensation-available', `No condensation is available: ${reason}`, options);
  }
}
