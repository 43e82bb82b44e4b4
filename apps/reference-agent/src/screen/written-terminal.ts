/** What a terminal of pi-tui does by writing alone. */
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
