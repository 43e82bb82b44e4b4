import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import type { NoteTaker } from './session.js';

/**
 * Detects repeated ids of log lines. A line with the id and the content of an earlier line is a copy: it is left out, because
 * the model saw the content once. A line with different content gets a new id. Both cases are noted.
 */
export class RepeatedIds {
  readonly #notes: NoteTaker;
  readonly #seen = new Map<string, { readonly line: number; readonly digest: string; copies: number }>();

  constructor(notes: NoteTaker) {
    this.#notes = notes;
  }

  /** The id to use for the line; `undefined` if the line is a copy of an earlier one. */
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
  // UTF-8 encodes all lone surrogates as the same character; JSON escapes keep them distinct.
  const sound = text.isWellFormed() ? text : JSON.stringify(text);
  return bytesToHex(sha256(utf8ToBytes(sound)));
}
