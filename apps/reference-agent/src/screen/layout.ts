import { CURSOR_MARKER, matchesKey, truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@mariozechner/pi-tui';
import type { EditorTheme, KeyId, MarkdownTheme, SelectListTheme } from '@mariozechner/pi-tui';
import { printableText as printable } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';
import type { Line } from '../output/lines.js';

/** A part of the screen that draws itself and takes keys while it is in front. */
export interface FrontPart {
  /** Returns its lines, none wider than asked. Unit of `width`: columns. */
  render(width: number): readonly string[];
  /** Takes a key, as the terminal sends it, or a paste in its brackets. */
  handleInput(data: string): void;
  /** Takes a turn of the wheel. Unit: lines; below 0 towards the beginning. */
  scroll?(lines: number): void;
}

/** Returns true for one of these keys. */
export function isKey(data: string, ...keys: readonly KeyId[]): boolean {
  return keys.some((key) => matchesKey(data, key));
}

/** What a terminal sends before a paste, and behind it. */
export const pasteStart = '\u001b[200~';
export const pasteEnd = '\u001b[201~';

/** Leaves the cursor that pi-tui draws away: the terminal's own stands there, and both at once would cancel each other. */
export function withTerminalCursor(line: string): string {
  return line.replace(`${CURSOR_MARKER}\u001b[7m`, CURSOR_MARKER);
}

/** The looks of things. Without colours every function returns its text, so no meaning may lie in a style alone. */
export interface Styles {
  readonly colours: Colours;
  readonly markdown: MarkdownTheme;
  readonly editor: EditorTheme;
}

/** Returns the styles of the screen. */
export function stylesOf(colours: Colours): Styles {
  const { bold, dim, italic, underline, strikethrough, cyan, green, yellow, inverse } = colours;
  const list: SelectListTheme = {
    selectedPrefix: bold,
    selectedText: (text) => (colours.isColorSupported ? inverse(text) : text),
    description: dim,
    scrollInfo: dim,
    noMatch: dim,
  };
  return {
    colours,
    editor: { borderColor: dim, selectList: list },
    markdown: {
      heading: bold,
      link: cyan,
      linkUrl: dim,
      code: cyan,
      codeBlock: green,
      codeBlockBorder: dim,
      quote: italic,
      quoteBorder: dim,
      hr: dim,
      listBullet: yellow,
      bold,
      italic,
      strikethrough,
      underline,
      codeBlockIndent: '  ',
    },
  };
}

const tab = '    ';
const printableAscii = /^[\x20-\x7e]*$/;

/**
 * Makes a text of anybody ready to be drawn: what a terminal would obey is written as `\x1b`, lines end in LF, tabs are spaces, and
 * halves of characters are U+FFFD. Nothing that was not passed through this may be drawn.
 */
export function printableText(text: string): string {
  return printable(text.toWellFormed().replaceAll('\r\n', '\n').replaceAll('\t', tab));
}

/** Makes a text ready to be drawn on one line. White space is one space. */
export function printableLine(text: string): string {
  return printableText(text.replace(/\s+/g, ' ').trim());
}

/** Returns a key as text on one line, where it is one; blanks count. */
export function typedText(data: string): string {
  return printableText(data).replaceAll('\n', ' ');
}

/** Wraps a text that is printable already and may be coloured. What is wider goes on in the next line. Unit of `width`: columns. */
export function wrapText(text: string, width: number): string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line.length <= room && printableAscii.test(line)) lines.push(line);
    else lines.push(...wrapTextWithAnsi(line, room));
  }
  return lines;
}

/** Wraps a text as {@link wrapText} does, each line after so many spaces. Unit: columns. */
export function wrapIndented(indent: number, text: string, width: number): string[] {
  return wrapText(text, width - indent).map((line) => ' '.repeat(indent) + line);
}

/** Wraps a text as {@link wrapText} does, but at the last column and not between words: of output and code each space counts. */
export function breakAtWidth(text: string, width: number): string[] {
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

/** Cuts a line, coloured or not, to a width with `…` at its end. Unit of `width`: columns. */
export function cutLine(line: string, width: number): string {
  if (width < 1) return '';
  if (line.length <= width && printableAscii.test(line)) return line;
  const cut = truncateToWidth(line, width, '…');
  // The library ends colours where it cuts, also where there are none.
  return line.includes('\u001b') ? cut : cut.replaceAll('\u001b[0m', '');
}

/** Returns the columns of a line, coloured or not, as the library that draws it measures them. */
export const columnsOf = visibleWidth;

/** Pads a line with spaces to a width. */
export function padLine(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - columnsOf(line)));
}

/** Words before lines that a colour sets apart from others. */
const marks: Readonly<Partial<Record<NonNullable<Line['style']>, string>>> = {
  added: '+ ',
  removed: '- ',
  hidden: '░ ',
};

/** Wraps a line for people. Its text and its lead are made printable. Unit of `width`: columns. */
export function wrapLine(
  { text, lead = '', indent = 0, style = 'plain', isVerbatim = false }: Line,
  width: number,
): readonly { readonly head: string; readonly body: string }[] {
  const margin = ' '.repeat(Math.max(0, Math.min(indent, Math.floor(width / 2))));
  const head = `${margin}${marks[style] ?? ''}${typedText(lead)}`;
  const wrap = isVerbatim ? breakAtWidth : wrapText;
  const room = width - columnsOf(head);
  // A lead that leaves too little room, such as the long name of an argument, has a line of its own.
  if (lead !== '' && room < width / 2) {
    const below = `${margin}  `;
    const parts = wrap(printableText(text), width - below.length);
    return [{ head: cutLine(head, width), body: '' }, ...parts.map((body) => ({ head: below, body }))];
  }
  const blank = ' '.repeat(columnsOf(head));
  return wrap(printableText(text), room).map((body, index) => ({ head: index === 0 ? head : blank, body }));
}

/** Draws a part of a line as its style says. A lead is dim in plain lines. */
export function styled(
  { style = 'plain' }: Line,
  { head, body }: ReturnType<typeof wrapLine>[number],
  { dim, bold, green, red, yellow }: Colours,
): string {
  switch (style) {
    case 'plain':
      return (head.trim() === '' ? head : dim(head)) + body;
    case 'dim':
    case 'hidden':
      return dim(head + body);
    case 'strong':
      return bold(head + body);
    case 'added':
      return green(head + body);
    case 'removed':
      return red(head + body);
    case 'problem':
      return yellow(head + body);
  }
}

/** Draws lines for people, wrapped and in their styles. Unit of `width`: columns. */
export function drawLines(lines: readonly Line[], width: number, { colours }: Styles): string[] {
  // One by one: a page may have more lines than a call may have arguments.
  return lines.flatMap((line) => wrapLine(line, width).map((part) => styled(line, part, colours)));
}
