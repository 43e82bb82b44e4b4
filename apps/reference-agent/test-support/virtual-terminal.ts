import type { Terminal } from '@mariozechner/pi-tui';
import { WrittenTerminal } from '../src/screen/terminal.js';
import { emulatedScreen } from './terminal/emulated-screen.js';
import type { EmulatedScreen } from './terminal/emulated-screen.js';

/** A terminal in this process: what is written to it is painted, and keys come from the test. */
export class VirtualTerminal extends WrittenTerminal implements Terminal {
  readonly screen: EmulatedScreen;
  readonly kittyProtocolActive = false;
  /** Everything that was written. */
  readonly written: string[] = [];
  #painted: Promise<void> = Promise.resolve();
  #onInput: (data: string) => void = () => undefined;
  #onResize: () => void = () => undefined;

  constructor(columns: number, rows: number) {
    super();
    this.screen = emulatedScreen(columns, rows);
  }

  get columns(): number {
    return this.screen.columns;
  }

  get rows(): number {
    return this.screen.rows;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#onInput = onInput;
    this.#onResize = onResize;
  }

  stop(): void {
    this.#onInput = () => undefined;
  }

  async drainInput(): Promise<void> {}

  write(data: string): void {
    this.written.push(data);
    this.#painted = this.screen.write(data);
  }

  /** Presses keys, one after the other, as a terminal sends them. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#onInput(key);
      // Arrows are given on at the end of what came at once.
      await Promise.resolve();
    }
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns, rows);
    this.#onResize();
  }

  /**
   * The lines that are seen, once they say what is expected of them.
   *
   * @throws after a minute
   */
  async seen(expected: (lines: readonly string[]) => boolean = () => true): Promise<readonly string[]> {
    for (const end = performance.now() + 60_000; performance.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 4));
      await this.#painted;
      const lines = this.screen.screen();
      if (expected(lines)) return lines;
    }
    throw new Error(`It was never seen:\n${this.screen.screen().join('\n')}`);
  }

  /** The lines that are seen, once one of them holds a text. */
  seenText(text: string): Promise<readonly string[]> {
    return this.seen((lines) => lines.some((line) => line.includes(text)));
  }
}
