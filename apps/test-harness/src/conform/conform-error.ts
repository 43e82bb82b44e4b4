import { PalimpsestError } from '@palimpsest/events';

/** A package cannot be tested: it is not there, has no condenser, or its options are wrong. */
export class ConformError extends PalimpsestError {
  static override get typeName(): string {
    return 'ConformError';
  }

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super('conform', message, options);
  }
}
