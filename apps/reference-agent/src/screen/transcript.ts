import { cutLine, columnsOf, isKey } from './layout.js';
import type { Styles } from './layout.js';

/** Columns before the lines of an item: the bar of the item in focus, the mark, and a space. */
const margin = 3;

/** The beginning of the window: a line of an item. The empty line before an item is its line -1. */
interface Place {
  readonly index: number;
  readonly line: number;
}

/**
 * The items of a session, of which a window is seen. Only what is in the window is drawn, so neither a frame nor a new width costs
 * more for a longer history.
 */
export class Transcript {
  readonly #styles: Styles;
  readonly #items: TranscriptItem[] = [];
  /** Undefined: the end is seen, and stays seen when items are added. */
  #top: Place | undefined;
  #focused: TranscriptItem | undefined;
  #areAllOpen = false;
  /** The item that a key has opened, until something else moves the window. */
  #opened: TranscriptItem | undefined;
  #width = 80;
  #height = 24;

  constructor(styles: Styles) {
    this.#styles = styles;
  }

  get items(): readonly TranscriptItem[] {
    return this.#items;
  }

  /** The item in focus, if any. */
  get focused(): TranscriptItem | undefined {
    return this.#focused;
  }

  /** True while the end of the transcript is seen. */
  get isAtEnd(): boolean {
    return this.#top === undefined;
  }

  add(...items: readonly TranscriptItem[]): void {
    for (const item of items) {
      if (this.#areAllOpen) item.isOpen = true;
      this.#items.push(item);
    }
  }

  /** Takes an item back, such as a piece of an answer that is void. */
  remove(item: TranscriptItem): void {
    const index = this.#items.lastIndexOf(item);
    if (index === -1) return;
    this.#items.splice(index, 1);
    if (this.#focused === item) this.#focused = undefined;
    if (this.#top !== undefined && this.#top.index >= this.#items.length) this.#top = undefined;
  }

  clear(): void {
    this.#items.length = 0;
    this.toEnd();
    this.#focused = undefined;
  }

  /** The lines of the window. Units: columns, lines. */
  render(width: number, height: number): readonly string[] {
    this.#width = Math.max(margin + 1, width);
    this.#height = Math.max(1, height);
    if (this.#top !== undefined) {
      const lines = this.#linesFrom(this.#top, this.#height);
      const isFirst = this.#top.index === 0 && this.#top.line <= 0;
      if (lines.length === this.#height || isFirst) return lines;
      // The window reaches beyond the end: the end is seen.
      this.#top = undefined;
    }
    const start = this.#placeAbove({ index: this.#items.length, line: -1 }, this.#height);
    return this.#linesFrom(start, this.#height);
  }

  /** Takes a key that moves the window or the focus, or opens an item. Returns true if it was one. */
  handleKey(data: string): boolean {
    if (isKey(data, 'alt+up', 'alt+k')) this.moveFocus(-1);
    else if (isKey(data, 'alt+down', 'alt+j')) this.moveFocus(1);
    else if (isKey(data, 'ctrl+o')) this.toggle();
    else if (isKey(data, 'alt+o')) this.toggleAll();
    else if (isKey(data, 'shift+up')) this.scroll(-1);
    else if (isKey(data, 'shift+down')) this.scroll(1);
    else if (isKey(data, 'ctrl+home')) this.toStart();
    else if (isKey(data, 'ctrl+end')) this.toEnd();
    else return false;
    return true;
  }

  /** Keeps an item in view that a key has opened and that has more lines now. */
  keepInView(item: TranscriptItem): void {
    if (item === this.#opened) this.#reveal(this.#items.indexOf(item));
  }

  /** Moves the window. Unit: lines; below 0 towards the beginning. */
  scroll(lines: number): void {
    this.#opened = undefined;
    const end = { index: this.#items.length, line: -1 };
    const bottomTop = this.#placeAbove(end, this.#height);
    const top = this.#top ?? bottomTop;
    const moved = lines < 0 ? this.#placeAbove(top, -lines) : this.#placeBelow(top, lines);
    this.#top = isBefore(moved, bottomTop) ? moved : undefined;
  }

  /** Moves the window by its height, but for two lines. */
  scrollPages(pages: number): void {
    this.scroll(pages * Math.max(1, this.#height - 2));
  }

  toStart(): void {
    this.#opened = undefined;
    this.#top = { index: 0, line: 0 };
  }

  toEnd(): void {
    this.#opened = undefined;
    this.#top = undefined;
  }

  /** Moves the focus to the item before (-1) or after (1) that opens. Without one, the last of the window is next. */
  moveFocus(direction: -1 | 1): void {
    const from = this.#focused === undefined ? this.#afterWindow() : this.#items.indexOf(this.#focused);
    for (let index = from + direction; index >= 0 && index < this.#items.length; index += direction) {
      const item = this.#items[index];
      if (item?.opens !== true) continue;
      this.#focused = item;
      this.#opened = undefined;
      this.#reveal(index);
      return;
    }
    if (direction === 1) this.leaveFocus();
  }

  /** Nothing is in focus any more, and the end is seen. */
  leaveFocus(): void {
    this.#focused = undefined;
    this.toEnd();
  }

  /** Opens or closes the item in focus; without one, the last of the window that opens. */
  toggle(): void {
    const item = this.#focused ?? this.#items.slice(0, this.#afterWindow()).findLast(({ opens }) => opens);
    if (item === undefined) return;
    item.isOpen = !item.isOpen;
    this.#opened = item;
    this.#reveal(this.#items.indexOf(item));
  }

  /** Opens all items, or closes them. */
  toggleAll(): void {
    this.#opened = undefined;
    this.#areAllOpen = !this.#areAllOpen;
    for (const item of this.#items) item.isOpen = this.#areAllOpen;
    if (this.#focused !== undefined) this.#reveal(this.#items.indexOf(this.#focused));
    else this.#top = undefined;
  }

  /** The index of the first item behind the window. */
  #afterWindow(): number {
    if (this.#top === undefined) return this.#items.length;
    const { index, line } = this.#placeBelow(this.#top, this.#height);
    return line > 0 ? index + 1 : index;
  }

  /** Moves the window as little as needed to show an item, or its beginning. */
  #reveal(index: number): void {
    const bottomTop = this.#placeAbove({ index: this.#items.length, line: -1 }, this.#height);
    const top = this.#top ?? bottomTop;
    const start: Place = { index, line: 0 };
    if (isBefore(start, top)) {
      this.#top = isBefore(start, bottomTop) ? start : undefined;
      return;
    }
    const height = Math.min(this.#linesOf(index).length, this.#height);
    // The window that ends with the item, or begins with it if it is higher.
    const last = this.#placeAbove({ index, line: height }, this.#height);
    if (isBefore(top, last)) this.#top = isBefore(last, bottomTop) ? last : undefined;
  }

  #hasGap(index: number): boolean {
    if (index === 0) return false;
    return !(this.#items[index]?.isCompact === true && this.#items[index - 1]?.isCompact === true);
  }

  #linesOf(index: number): readonly string[] {
    return this.#items[index]?.lines(this.#width - margin) ?? [];
  }

  #firstLine(index: number): number {
    return this.#hasGap(index) ? -1 : 0;
  }

  #placeAbove({ index, line }: Place, lines: number): Place {
    let at = { index, line };
    let left = lines;
    // An end behind the last item has no line of its own.
    if (index === this.#items.length) at = { index, line: this.#firstLine(index) };
    for (;;) {
      const first = index === this.#items.length && at.index === index ? at.line : this.#firstLine(at.index);
      const available = at.line - first;
      if (left <= available) return { index: at.index, line: at.line - left };
      left -= available;
      if (at.index === 0) return { index: 0, line: 0 };
      at = { index: at.index - 1, line: this.#linesOf(at.index - 1).length };
    }
  }

  #placeBelow({ index, line }: Place, lines: number): Place {
    let at = { index, line };
    let left = lines;
    while (at.index < this.#items.length) {
      const available = this.#linesOf(at.index).length - at.line;
      if (left < available) return { index: at.index, line: at.line + left };
      left -= available;
      at = { index: at.index + 1, line: this.#firstLine(at.index + 1) };
    }
    return at;
  }

  #linesFrom({ index, line }: Place, height: number): readonly string[] {
    const lines: string[] = [];
    let next = line;
    for (let at = index; at < this.#items.length && lines.length < height; at++) {
      const item = this.#items[at];
      if (item === undefined) break;
      const drawn = this.#linesOf(at);
      for (; next < drawn.length && lines.length < height; next++) {
        lines.push(next < 0 ? '' : this.#withMargin(item, drawn[next] ?? '', next));
      }
      next = this.#firstLine(at + 1);
    }
    return lines;
  }

  #withMargin(item: TranscriptItem, line: string, at: number): string {
    const bar = item === this.#focused ? this.#styles.colours.bold('▌') : ' ';
    return `${bar}${at === 0 ? cutLine(item.mark, 8) : ' '} ${line}`;
  }
}

function isBefore(left: Place, right: Place): boolean {
  return left.index < right.index || (left.index === right.index && left.line < right.line);
}

/** Options of {@link TranscriptItem}. */
export interface TranscriptItemOptions {
  /** One column, before the first line: what kind of item it is. */
  readonly mark: string;
  /** Its lines, none wider than asked. Called again only when the item has changed, or the width. Unit of `width`: columns. */
  readonly draw: (asked: { readonly width: number; readonly isOpen: boolean }) => readonly string[];
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

  /** Forgets its lines: they have changed. */
  changed(): void {
    this.#lines = undefined;
  }

  /** Its lines. Unit of `width`: columns. */
  lines(width: number): readonly string[] {
    if (this.#lines === undefined || this.#width !== width) {
      this.#width = width;
      // Where the terminal is narrower than a margin, even a margin is cut.
      this.#lines = this.#draw({ width, isOpen: this.#isOpen }).map((line) =>
        columnsOf(line) <= width ? line : cutLine(line, width),
      );
    }
    return this.#lines;
  }
}
