import { PalimpsestError } from '@palimpsest/events';

/** What is asked to be inspected is not there: the session, or the model call. */
export class InspectError extends PalimpsestError {
  static override get typeName(): string {
    return 'InspectError';
  }

  constructor(message: string) {
    super('inspect', message);
  }
}
