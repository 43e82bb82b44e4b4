/**
 * Characters that a terminal obeys and a person does not see: control characters, and those that turn the direction of
 * writing. Text of a log may hold them.
 */
const obeyed = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text on one line: white space is one space, and what a terminal would obey is written as `\x1b` or `\u202e`. */
export function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(obeyed, escapeOf);
}

/** The text on its own lines: what a terminal would obey, but for the ends of lines, is written as in {@link onOneLine}. */
export function shownLines(text: string): string {
  return text.replace(obeyed, (character) => (character === '\n' ? character : escapeOf(character)));
}

/**
 * JSON in which nothing is left that a terminal would obey.
 *
 * @param indent - with 0 it is on one line. Unit: spaces. @defaultValue 2
 */
export function shownJson(value: unknown, indent = 2): string {
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
