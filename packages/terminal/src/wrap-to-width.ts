import { cutToWidth, widthOf } from './cut-to-width.js';

/**
 * The text in lines that are no wider than asked. Lines end between words; a word that is wider than a line is cut. White space
 * becomes one space, and lines of the text stay lines. Unit of `width`: columns.
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
