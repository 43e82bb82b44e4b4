import type { Output } from '../context.js';

/** Writes lines, pieces of lines and a prompt. It never moves the cursor. What it is given must be shown text already. */
export class PlainWriter {
  readonly #output: Output;
  #isInLine = false;
  #isPrompted = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Writes whole lines. A line that was begun is ended first. */
  lines(text: string): void {
    this.#endLine();
    this.#output.write(`${text}\n`);
  }

  /** Writes a piece of a line, such as a piece of an answer. */
  piece(text: string): void {
    if (text === '') return;
    if (this.#isPrompted) this.#endLine();
    this.#output.write(text);
    this.#isInLine = !text.endsWith('\n');
  }

  /** Writes the prompt, if it does not stand there. */
  prompt(text: string): void {
    if (this.#isPrompted) return;
    this.#endLine();
    this.#output.write(text);
    this.#isPrompted = true;
  }

  /** Somebody has typed a line, so that the next one has begun. */
  typed(): void {
    this.#isInLine = false;
    this.#isPrompted = false;
  }

  #endLine(): void {
    if (this.#isInLine || this.#isPrompted) this.#output.write('\n');
    this.typed();
  }
}
