import { PalimpsestError } from '@palimpsest/events';

/** A session, or a condenser at work on it, needs more memory than a thread has. Names the file. */
export class OutOfMemoryError extends PalimpsestError {
  static override get typeName(): string {
    return 'OutOfMemoryError';
  }

  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(
      'out-of-memory',
      `Replaying '${file}' needs more memory than a thread has. Give it more, as with NODE_OPTIONS=--max-old-space-size=8192, ` +
        'or leave the file out.',
      { cause },
    );
    this.file = file;
  }
}
