import { columnsOf, cutLine } from './shown-width.js';

/** What an item draws. */
export interface Drawing {
  /** Columns that it may use. */
  readonly width: number;
  readonly isOpen: boolean;
}

/** Options of {@link TranscriptItem}. */
export interface TranscriptItemOptions {
  /** One column, before the first line: what kind of item it is. */
  readonly mark: string;
  /** Its lines, none wider than asked. Called again only when the item has changed, or the width. */
  readonly draw: (drawing: Drawing) => readonly string[];
  /** Called when it is opened: what is shown then may have to be read. */
  readonly onOpen?: () => void;
  /** False: there is nothing to open. @defaultValue false */
  readonly opens?: boolean;
  /** True: no empty line between it and another such item before it. @defaultValue false */
  readonly isCompact?: boolean;
}

/** Something in the transcript. It remembers its lines until it changes, so a frame costs what changed in it. */
export class TranscriptItem {
  readonly mark: string;
  readonly isCompact: boolean;
  opens: boolean;
  readonly #draw: TranscriptItemOptions['draw'];
  readonly #onOpen: (() => void) | undefined;
  #isOpen = false;
  #lines: readonly string[] | undefined;
  #width = 0;

  constructor({ mark, draw, onOpen, opens = false, isCompact = false }: TranscriptItemOptions) {
    this.mark = mark;
    this.isCompact = isCompact;
    this.opens = opens;
    this.#draw = draw;
    this.#onOpen = onOpen;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  set isOpen(isOpen: boolean) {
    if (!this.opens || isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    this.changed();
    if (isOpen) this.#onOpen?.();
  }

  /** What it draws has changed. */
  changed(): void {
    this.#lines = undefined;
  }

  /** Its lines. Unit of `width`: columns. */
  lines(width: number): readonly string[] {
    if (this.#lines === undefined || this.#width !== width) {
      this.#width = width;
      // Where the terminal is narrower than a margin, even a margin is cut.
      this.#lines = this.#draw({ width, isOpen: this.#isOpen }).map((line) => fitted(line, width));
    }
    return this.#lines;
  }
}

function fitted(line: string, width: number): string {
  return columnsOf(line) <= width ? line : cutLine(line, width);
}
