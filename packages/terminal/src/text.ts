import truncatedWidth from 'fast-string-truncated-width';
import pc from 'picocolors';

/**
 * Characters that a terminal obeys and a person does not see: control characters, and those that turn the direction of
 * writing. Text of a log may hold them.
 */
const obeyed = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Returns the text on one line: white space is one space, and what a terminal would obey is written as `\x1b` or `\u202e`. */
export function printableLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(obeyed, escapeOf);
}

/** Returns the text on its own lines. What a terminal would obey, but for line ends, is written as in {@link printableLine}. */
export function printableText(text: string): string {
  return text.replace(obeyed, (character) => (character === '\n' ? character : escapeOf(character)));
}

/**
 * Returns JSON in which nothing is left that a terminal would obey.
 *
 * @param indent - with 0 it is on one line. Unit: spaces. @defaultValue 2
 */
export function printableJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(obeyed, (character) =>
    character === '\n' ? character : unicodeEscape(character),
  );
}

function escapeOf(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(character);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns the width of a text. Unit: columns. */
export function widthOf(text: string): number {
  // The library's own cut is one column too wide after some characters, so only its measure is used.
  return truncatedWidth(text).width;
}

/** Made when a line is cut for the first time: it takes 5 ms. */
let graphemes: Intl.Segmenter | undefined;

/**
 * Returns the line, cut to a width of the terminal with `…` at its end. Wide characters count twice, and what is shown as one
 * character is kept or cut as one. Unit of `width`: columns.
 */
export function cutToWidth(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  let kept = '';
  let used = 1;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(line)) {
    used += widthOf(segment);
    if (used > width) break;
    kept += segment;
  }
  return width < 1 ? '' : `${kept}…`;
}

/**
 * Returns the text in lines that are no wider than asked. Lines end between words; a word that is wider than a line is cut. White
 * space becomes one space, and lines of the text stay lines. Unit of `width`: columns.
 */
export function wrapToWidth(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line.split(/\s+/).filter(Boolean), width));
}

function wrapLine(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  let used = 0;
  for (const word of words) {
    const fitting = cutToWidth(word, width);
    const wide = widthOf(fitting);
    if (lines.length > 0 && used + 1 + wide <= width) {
      lines.push(`${lines.pop() ?? ''} ${fitting}`);
      used += 1 + wide;
    } else {
      lines.push(fitting);
      used = wide;
    }
  }
  return lines.length === 0 ? [''] : lines;
}

/**
 * Returns the width of a terminal. Unit: columns.
 *
 * @param otherwise - for what is no terminal, and for a terminal that does not know its width. The default is 80
 */
export function terminalWidth({ columns }: { readonly columns?: number | undefined }, otherwise = 80): number {
  return columns === undefined || columns < 1 ? otherwise : columns;
}

/** Functions that colour text, or leave it as it is. */
export type Colours = ReturnType<typeof pc.createColors>;

/**
 * Returns colours for a terminal, and plain text for anything else. `FORCE_COLOR` colours files and pipes too. `NO_COLOR` and a
 * terminal that calls itself `dumb` get plain text. `NO_COLOR` counts more than `FORCE_COLOR`. An empty variable, or a `FORCE_COLOR`
 * of 0, counts as one that is not set.
 *
 * @param env - where the variables are. The default is the environment of the process
 * @see https://no-color.org
 */
export function coloursFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): Colours {
  const isForced = !['', '0', 'false', undefined].includes(env.FORCE_COLOR);
  const isTerminal = stream.isTTY === true && env.TERM !== 'dumb';
  return pc.createColors((env.NO_COLOR ?? '') === '' && (isForced || isTerminal));
}
