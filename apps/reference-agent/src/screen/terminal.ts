import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { setKittyProtocolActive, StdinBuffer, matchesKey } from '@mariozechner/pi-tui';
import type { Terminal } from '@mariozechner/pi-tui';
import { pasteEnd, pasteStart } from './layout.js';

/**
 * A screen of its own, so that what stood on the terminal comes back; no wrapping at the last column, so that a line which the terminal
 * holds for wider than we do tears nothing; pastes in brackets; the wheel sends arrow keys.
 */
const enter = '\u001b[?1049h\u001b[2J\u001b[H\u001b[?7l\u001b[?2004h\u001b[?1007s\u001b[?1007h\u001b[?25l';
const leave = '\u001b[?2026l\u001b[0m\u001b[?1007r\u001b[?2004l\u001b[?7h\u001b[?1049l\u001b[?25h';
/** Asks which of its keys the terminal can tell apart; see the protocol of kitty. */
const askForKeys = '\u001b[?u';
/** Modifiers of all keys, and those of other layouts. */
const pushKeys = '\u001b[>5u';
const popKeys = '\u001b[<u';
const otherKeys = { on: '\u001b[>4;2m', off: '\u001b[>4;0m' };
/** A terminal that has not answered by then does not know that protocol. Unit: milliseconds. */
const answerMs = 150;
/** Keys that are pressed at the end are read for so long, or a shell would read them. Unit: milliseconds. */
const drainMs = 60;
const kittyAnswer = /^\u001b\[\?\d+u$/;

/** The part of a terminal of pi-tui that only writes. */
export abstract class WrittenTerminal {
  abstract write(text: string): void;

  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `\u001b[${lines}B` : `\u001b[${-lines}A`);
  }

  hideCursor(): void {
    this.write('\u001b[?25l');
  }

  showCursor(): void {
    this.write('\u001b[?25h');
  }

  clearLine(): void {
    this.write('\u001b[K');
  }

  clearFromCursor(): void {
    this.write('\u001b[J');
  }

  clearScreen(): void {
    this.write('\u001b[2J\u001b[H');
  }

  /** Does nothing: the title is the user's. */
  setTitle(): void {}

  /** Does nothing: the state is in the status line. */
  setProgress(): void {}
}

/** Options of {@link ProcessTerminal}. */
export interface ProcessTerminalOptions {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream & { readonly fd?: number };
  readonly stderr: WriteStream;
  /** Called with each line that others write to standard output or error while the screen is there. */
  readonly onStrayLine: (line: string) => void;
}

/**
 * The terminal of the process. It stands in place of pi-tui's, which leaves a terminal changed if it is stopped within 150 ms, takes time
 * that grows with the square of a paste, and lets the writes of others into the frame. However the process ends, short of SIGKILL, the
 * terminal is left as it was.
 */
export class ProcessTerminal extends WrittenTerminal implements Terminal {
  readonly #options: ProcessTerminalOptions;
  readonly #write: (text: string) => void;
  readonly #restoreAtEnd = (): void => this.#leaveNow();
  #keys: StdinBuffer | undefined;
  #paste: string[] | undefined;
  /** A key that ends with the first half of a surrogate pair. */
  #half = '';
  #onInput: ((data: string) => void) | undefined;
  #onResize: (() => void) | undefined;
  #keysTimer: NodeJS.Timeout | undefined;
  #isActive = false;
  #isKitty = false;
  #hasOtherKeys = false;
  #restoreStreams: (() => void) | undefined;

  constructor(options: ProcessTerminalOptions) {
    super();
    this.#options = options;
    const write = options.stdout.write.bind(options.stdout);
    this.#write = (text) => void write(text);
  }

  get columns(): number {
    return this.#options.stdout.columns || 80;
  }

  get rows(): number {
    return this.#options.stdout.rows || 24;
  }

  get kittyProtocolActive(): boolean {
    return this.#isKitty;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    const { stdin, stdout } = this.#options;
    this.#onInput = onInput;
    this.#onResize = onResize;
    this.#isActive = true;
    this.#restoreStreams = this.#catchStrayWrites();
    process.on('exit', this.#restoreAtEnd);
    // Before Node prints the error: it would be lost with the screen.
    process.on('uncaughtExceptionMonitor', this.#restoreAtEnd);
    this.#keys = new StdinBuffer({ timeout: 20 });
    this.#keys.on('data', (key) => this.#key(key));
    // A paste whose beginning came in two pieces.
    this.#keys.on('paste', (text) => this.#onInput?.(pasteStart + text + pasteEnd));
    stdin.setRawMode(true);
    stdin.setEncoding('utf8');
    stdin.on('data', this.#onData);
    stdin.resume();
    stdout.on('resize', onResize);
    this.#write(enter + askForKeys);
    this.#keysTimer = setTimeout(() => {
      if (this.#isKitty) return;
      this.#hasOtherKeys = true;
      this.#write(otherKeys.on);
    }, answerMs);
  }

  stop(): void {
    if (!this.#isActive) return;
    const { stdin, stdout } = this.#options;
    this.#leaveNow();
    if (this.#onResize !== undefined) stdout.off('resize', this.#onResize);
    stdin.off('data', this.#onData);
    stdin.pause();
    this.#keys?.destroy();
    this.#paste = undefined;
    process.off('exit', this.#restoreAtEnd);
    process.off('uncaughtExceptionMonitor', this.#restoreAtEnd);
  }

  /** Reads what is still on its way, such as the answer to a question of ours. */
  async drainInput(): Promise<void> {
    this.#onInput = undefined;
    await new Promise((resolve) => setTimeout(resolve, drainMs));
  }

  write(text: string): void {
    if (!this.#isActive) return;
    // pi-tui clears the lines above the screen, which are the user's own, when it draws a frame anew.
    this.#write(text.replaceAll('\u001b[3J', ''));
  }

  /** Leaves the screen in one synchronous write, since the process may be at its end. */
  #leaveNow(): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    clearTimeout(this.#keysTimer);
    const keys = (this.#isKitty ? popKeys : '') + (this.#hasOtherKeys ? otherKeys.off : '');
    this.#isKitty = false;
    this.#hasOtherKeys = false;
    setKittyProtocolActive(false);
    this.#restoreStreams?.();
    const { stdin, stdout } = this.#options;
    try {
      // The frames before it are in the stream still, if the terminal is slow.
      if (stdout.writableLength === 0 && stdout.fd !== undefined) writeSync(stdout.fd, keys + leave);
      else this.#write(keys + leave);
    } catch {
      this.#write(keys + leave);
    }
    try {
      stdin.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  }

  readonly #onData = (data: string): void => {
    let rest = data;
    while (rest !== '') rest = this.#paste === undefined ? this.#beforePaste(rest) : this.#inPaste(this.#paste, rest);
  };

  /** Takes keys up to a paste; gives back what follows its beginning. */
  #beforePaste(data: string): string {
    const start = data.indexOf(pasteStart);
    this.#keys?.process(start === -1 ? data : data.slice(0, start));
    if (start === -1) return '';
    this.#paste = [];
    return data.slice(start + pasteStart.length);
  }

  /** Collects a paste in pieces, so that one of any size takes time in proportion to it. */
  #inPaste(paste: string[], data: string): string {
    // Its end may be divided between two pieces.
    const before = (paste.at(-1) ?? '').slice(1 - pasteEnd.length);
    const found = (before + data).indexOf(pasteEnd);
    if (found === -1) {
      paste.push(data.length < pasteEnd.length ? (paste.pop() ?? '') + data : data);
      return '';
    }
    this.#paste = undefined;
    const end = found + pasteEnd.length - before.length;
    const text = (paste.join('') + data.slice(0, end)).slice(0, -pasteEnd.length);
    this.#onInput?.(pasteStart + text.replaceAll(pasteStart, '') + pasteEnd);
    return data.slice(end);
  }

  /** pi-tui divides characters of two UTF-16 units; the second half follows at once. */
  #key(unit: string): void {
    const key = this.#half + unit;
    this.#half = '';
    if (/[\ud800-\udbff]$/.test(key)) {
      this.#half = key;
      return;
    }
    if (!this.#isKitty && kittyAnswer.test(key)) {
      this.#isKitty = true;
      setKittyProtocolActive(true);
      if (this.#hasOtherKeys) this.#write(otherKeys.off);
      this.#hasOtherKeys = false;
      this.#write(pushKeys);
      return;
    }
    this.#onInput?.(key);
  }

  /** Reports what anybody writes meanwhile, line by line, instead of drawing it across the frame. Returns the function that ends it. */
  #catchStrayWrites(): () => void {
    const { stdout, stderr, onStrayLine } = this.#options;
    const restores = [stdout, stderr].map((stream) => {
      const original = Object.getOwnPropertyDescriptor(stream, 'write');
      let line = '';
      stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
        const lines = (line + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())).split('\n');
        line = lines.pop() ?? '';
        for (const each of lines) if (each.trim() !== '') onStrayLine(each);
        const written = rest.find((each) => typeof each === 'function') as (() => void) | undefined;
        if (written !== undefined) process.nextTick(written);
        return true;
      };
      return () => {
        if (original === undefined) delete (stream as { write?: unknown }).write;
        else Object.defineProperty(stream, 'write', original);
      };
    });
    return () => restores.forEach((restore) => restore());
  }
}

/** The number of equal arrows at once that are no key that somebody pressed. */
const arrowsOfWheel = 3;

/**
 * A filter that separates the wheel from the arrow keys. A terminal sends several arrows at once for a turn of the
 * wheel, since the screen does not ask for the mouse: what it shows can be selected and copied as always.
 */
export class Wheel {
  readonly #scroll: (lines: number) => void;
  readonly #key: (data: string) => void;
  #arrows: string[] = [];

  constructor({ scroll, key }: { readonly scroll: (lines: number) => void; readonly key: (data: string) => void }) {
    this.#scroll = scroll;
    this.#key = key;
  }

  /** Takes a key. What it keeps it gives on at the end of what the terminal sent at once. */
  handleInput(data: string): void {
    const isArrow = matchesKey(data, 'up') || matchesKey(data, 'down');
    if (this.#arrows.length > 0 && (!isArrow || this.#arrows[0] !== data)) this.#flush();
    if (!isArrow) return this.#key(data);
    this.#arrows.push(data);
    if (this.#arrows.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const arrows = this.#arrows;
    this.#arrows = [];
    const [first] = arrows;
    if (first === undefined) return;
    if (arrows.length >= arrowsOfWheel) this.#scroll(matchesKey(first, 'up') ? -arrows.length : arrows.length);
    else for (const arrow of arrows) this.#key(arrow);
  }
}
