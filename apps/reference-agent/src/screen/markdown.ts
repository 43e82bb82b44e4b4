import { Markdown, setCapabilities } from '@mariozechner/pi-tui';
import { printableText, wrapText } from './layout.js';
import type { Styles } from './layout.js';

/** A longer text is shown as it was written: while it streams, each piece would parse the whole again. Unit: characters. */
const maxParsed = 60_000;
/** Deeper quotes and lists would exhaust the stack of the parser. */
const tooDeep = /^[ \t>*+-]{100}/m;

// The text of a link must not hide its address, and no image may be drawn: a terminal that could do more is not asked to.
setCapabilities({ images: null, trueColor: false, hyperlinks: false });

/** Draws a text in Markdown. Escapes in it are shown. Unit of `width`: columns. */
export function markdownLines(text: string, width: number, { markdown }: Styles): string[] {
  const safe = printableText(text).trim();
  if (safe === '') return [];
  if (safe.length > maxParsed || tooDeep.test(safe)) return wrapText(safe, width);
  try {
    const lines = new Markdown(safe, 0, 0, markdown).render(Math.max(1, width)).map((line) => line.replace(/ +$/, ''));
    while (lines.at(-1) === '') lines.pop();
    return lines;
  } catch {
    // Whatever breaks the parser must not break the screen.
    return wrapText(safe, width);
  }
}

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

/** Returns the end of the last empty line outside of code. */
function endOfCompleteBlocks(text: string, from: number): number {
  for (let at = text.lastIndexOf('\n\n'); at >= from; at = text.lastIndexOf('\n\n', at - 1)) {
    const fences = text.slice(from, at).match(fence)?.length ?? 0;
    if (fences % 2 === 0) return at + 2;
    if (at === 0) break;
  }
  return from;
}
