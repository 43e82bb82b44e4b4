import { Markdown, setCapabilities } from '@mariozechner/pi-tui';
import { harmless, wrapped } from './shown-width.js';
import type { Styles } from './styles.js';

/** A longer text is shown as it was written: while it streams, each piece would parse the whole again. Unit: characters. */
const maxParsed = 60_000;
/** Deeper quotes and lists would exhaust the stack of the parser. */
const tooDeep = /^[ \t>*+-]{100}/m;

// The text of a link must not hide its address, and no image may be drawn: a terminal that could do more is not asked to.
setCapabilities({ images: null, trueColor: false, hyperlinks: false });

/** Lines of a text in Markdown. Escapes in it are shown. Unit of `width`: columns. */
export function markdownLines(text: string, width: number, { markdown }: Styles): string[] {
  const safe = harmless(text).trim();
  if (safe === '') return [];
  if (safe.length > maxParsed || tooDeep.test(safe)) return wrapped(safe, width);
  try {
    const lines = new Markdown(safe, 0, 0, markdown).render(Math.max(1, width)).map((line) => line.replace(/ +$/, ''));
    while (lines.at(-1) === '') lines.pop();
    return lines;
  } catch {
    // Whatever breaks the parser must not break the screen.
    return wrapped(safe, width);
  }
}
