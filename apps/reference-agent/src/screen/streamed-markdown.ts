import { markdownLines } from './markdown-lines.js';
import type { Styles } from './styles.js';

/** A fence around code: what stands between two is one block, with its empty lines. */
const fence = /^ {0,3}(?:```|~~~)/gm;

/**
 * The lines of a text in Markdown that grows at its end. Blocks that are complete are drawn once, so a piece costs what the last block
 * costs. Where a block hangs together with one before it over an empty line, as in a list, it is drawn as one of its own until the
 * whole text is there.
 */
export class StreamedMarkdown {
  readonly #styles: Styles;
  #width = 0;
  /** The length of what is drawn for good. Unit: characters. */
  #drawn = 0;
  #lines: string[] = [];

  constructor(styles: Styles) {
    this.#styles = styles;
  }

  /** @param text - begins with the text of the last time, at the same width */
  lines(text: string, width: number): readonly string[] {
    if (width !== this.#width) [this.#width, this.#drawn, this.#lines] = [width, 0, []];
    const end = endOfCompleteBlocks(text, this.#drawn);
    if (end > this.#drawn) {
      this.#lines = this.#joined(markdownLines(text.slice(this.#drawn, end), width, this.#styles));
      this.#drawn = end;
    }
    return this.#joined(markdownLines(text.slice(end), width, this.#styles));
  }

  #joined(more: readonly string[]): string[] {
    if (this.#lines.length === 0 || more.length === 0) return [...this.#lines, ...more];
    return [...this.#lines, '', ...more];
  }
}

/** Where the last empty line ends that stands outside of code. */
function endOfCompleteBlocks(text: string, from: number): number {
  for (let at = text.lastIndexOf('\n\n'); at >= from; at = text.lastIndexOf('\n\n', at - 1)) {
    const fences = text.slice(from, at).match(fence)?.length ?? 0;
    if (fences % 2 === 0) return at + 2;
    if (at === 0) break;
  }
  return from;
}
