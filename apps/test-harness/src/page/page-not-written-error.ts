import { PalimpsestError } from '@palimpsest/events';

/** A page cannot be written where it should be. */
export class PageNotWrittenError extends PalimpsestError {
  static override get typeName(): string {
    return 'PageNotWrittenError';
  }

  readonly file: string;

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super('page-not-written', `Cannot write '${file}': ${reason}. Name another place with --output.`, { cause });
    this.file = file;
  }
}
