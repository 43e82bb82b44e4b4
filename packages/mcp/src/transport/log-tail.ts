import { sliceText } from '@palimpsest/events';
import { plainWords } from '../plain-words.js';

/** How much is kept. Unit: characters. */
const kept = 8_000;

/** The end of what a server wrote to its log. */
export class LogTail {
  #text = '';

  add(text: string): void {
    const all = this.#text + text.slice(-kept);
    this.#text = sliceText(all, Math.max(0, all.length - kept));
  }

  /** Without what a terminal would obey. */
  toString(): string {
    return plainWords(this.#text, kept);
  }

  /** The last lines that say something, for an error: the log of a crash often ends with them. */
  get lastWords(): string {
    const lines = this.toString()
      .split('\n')
      .filter((line) => line.trim() !== '');
    return plainWords(lines.slice(-3).join(' | '), 400);
  }
}
