import { PalimpsestError } from '@palimpsest/events';

/** The figures alone make a page that is larger than a report may be. */
export class PageTooLargeError extends PalimpsestError {
  static override get typeName(): string {
    return 'PageTooLargeError';
  }

  /** Unit: bytes. */
  readonly bytes: number;

  constructor({
    bytes,
    largest,
    sessions,
  }: {
    readonly bytes: number;
    readonly largest: number;
    readonly sessions: number;
  }) {
    super(
      'page-too-large',
      `The figures of ${sessions} sessions make a page of ${megabytes(bytes)} MB; the limit is ${megabytes(largest)} MB. Name fewer sessions, or fewer condensers (-c).`,
    );
    this.bytes = bytes;
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
