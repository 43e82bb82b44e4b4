import type { Event } from '@palimpsest/events';

/** A log of the corpus: what it is, and how it is recorded. */
export interface Recording {
  /** The name of its file, without the ending. */
  readonly name: string;
  /** One sentence for the corpus's README. */
  readonly about: string;
  readonly record: () => Promise<readonly Event[]>;
}
