import { PalimpsestError } from '@palimpsest/events';

/** The command was called in a way that cannot work. Says what to do. */
export class UsageError extends PalimpsestError {
  static override get typeName(): string {
    return 'UsageError';
  }

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('usage', message, options);
  }
}
