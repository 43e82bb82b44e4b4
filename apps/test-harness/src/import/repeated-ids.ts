import { createHash } from 'node:crypto';
import type { NoteTaker } from './note-taker.js';

/**
 * Watches the ids that a log gives to its own lines. A line that repeats an id with the same content is a copy, which the
 * model saw once: it is left out. One with other content is kept under an id of its own. Both are noted.
 */
export class RepeatedIds {
  readonly #notes: NoteTaker;
  readonly #seen = new Map<string, { readonly line: number; readonly digest: string; copies: number }>();

  constructor(notes: NoteTaker) {
    this.#notes = notes;
  }

  /** The id to use for the line; `undefined` when it is a copy of an earlier one. */
  accept(id: string, content: unknown, line: number): string | undefined {
    const known = this.#seen.get(id);
    const contentDigest = digest(JSON.stringify(content) ?? '');
    if (known === undefined) {
      this.#seen.set(id, { line, digest: contentDigest, copies: 1 });
      return id;
    }
    if (known.digest === contentDigest) {
      this.#notes.add(
        'duplicate-event-id',
        `line ${line} repeats line ${known.line} (id '${id}') and was left out`,
        line,
      );
      return undefined;
    }
    known.copies++;
    const other = `${id}~${known.copies}`;
    this.#notes.add(
      'duplicate-event-id',
      `line ${line} has the id of line ${known.line} ('${id}') and became '${other}'`,
      line,
    );
    return other;
  }
}

function digest(text: string): string {
  // UTF-8 has one form for all halves of surrogate pairs; escaped they are told apart.
  const sound = text.isWellFormed() ? text : JSON.stringify(text);
  return createHash('sha256').update(sound).digest('hex');
}
