import type { ImportNote, NoteKind } from './session.js';

/** The maximum of different messages per kind. Further ones are only counted, so a broken log cannot fill the memory. */
const maximumMessagesPerKind = 100;

/** Collects the remarks on one file. Equal remarks are counted together, with the line of the first one. */
export class NoteTaker {
  readonly #file: string;
  readonly #counts = new Map<string, { readonly note: Omit<ImportNote, 'count'>; count: number }>();
  readonly #messagesOfKind = new Map<NoteKind, number>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Notes one occurrence. The message should contain details of one occurrence only if a reader needs them. */
  add(kind: NoteKind, message: string, line?: number): void {
    const key = `${kind} ${message}`;
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const messages = (this.#messagesOfKind.get(kind) ?? 0) + 1;
    const overflow = `more of the kind '${kind}'`;
    if (messages > maximumMessagesPerKind && message !== overflow) {
      this.add(kind, overflow, line);
      return;
    }
    this.#messagesOfKind.set(kind, messages);
    this.#counts.set(key, { note: { file: this.#file, line, kind, message }, count: 1 });
  }

  /** The remarks since the last call, in the order of their first occurrence. */
  take(): readonly ImportNote[] {
    const notes = [...this.#counts.values()].map(({ note, count }) => Object.freeze({ ...note, count }));
    this.#counts.clear();
    this.#messagesOfKind.clear();
    return notes;
  }
}
