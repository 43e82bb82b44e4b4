import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@mariozechner/pi-tui';
import { shownLines } from '@palimpsest/terminal';

const tab = '    ';
const printableAscii = /^[\x20-\x7e]*$/;

/**
 * A text of anybody, ready to be drawn: what a terminal would obey is written as `\x1b`, lines end in LF, tabs are spaces, and
 * halves of characters are U+FFFD. Nothing that was not passed through this may be drawn.
 */
export function harmless(text: string): string {
  return shownLines(text.toWellFormed().replaceAll('\r\n', '\n').replaceAll('\t', tab));
}

/** The same on one line. White space is one space. */
export function harmlessLine(text: string): string {
  return harmless(text.replace(/\s+/g, ' ').trim());
}

/** A key as text on one line, where it is one; blanks count. */
export function typedText(data: string): string {
  return harmless(data).replaceAll('\n', ' ');
}

/** Lines no wider than asked, of a text that is harmless already and may be coloured. What is wider goes on in the next line. Unit of `width`: columns. */
export function wrapped(text: string, width: number): string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line.length <= room && printableAscii.test(line)) lines.push(line);
    else lines.push(...wrapTextWithAnsi(line, room));
  }
  return lines;
}

/** Lines as {@link wrapped} makes them, each behind so many spaces. Unit: columns. */
export function wrappedBehind(indent: number, text: string, width: number): string[] {
  return wrapped(text, width - indent).map((line) => ' '.repeat(indent) + line);
}

/**
 * Lines as {@link wrapped} makes them, broken at the last column and not between words: of output and code each space counts.
 */
export function brokenAtWidth(text: string, width: number): string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (!printableAscii.test(line)) {
      lines.push(...wrapTextWithAnsi(line, room));
      continue;
    }
    for (let start = 0; start === 0 || start < line.length; start += room) lines.push(line.slice(start, start + room));
  }
  return lines;
}

/** The line, coloured or not, cut to a width with `…` at its end. Unit of `width`: columns. */
export function cutLine(line: string, width: number): string {
  if (width < 1) return '';
  if (line.length <= width && printableAscii.test(line)) return line;
  const cut = truncateToWidth(line, width, '…');
  // The library ends colours where it cuts, also where there are none.
  return line.includes('\u001b') ? cut : cut.replaceAll('\u001b[0m', '');
}

/** The columns of a line, coloured or not, as the library that draws it measures them. */
export const columnsOf = visibleWidth;

/** The line with spaces up to a width. */
export function padLine(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - columnsOf(line)));
}
