/** What breaks a line, drives a terminal, hides text, or makes a quoted name ambiguous. */
const odd = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"\\]|^\s|\s$/u;

/**
 * A path on one line. A path with line breaks, escapes, invisible characters, quotes or backslashes is shown as a JSON string,
 * so that a file's name cannot pass for something else. A tool takes the decoded string.
 */
export function shownName(path: string): string {
  if (!odd.test(path)) return path;
  return JSON.stringify(path).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A name of bytes that are not UTF-8, with these bytes as `\xNN`. No tool can open it by name. */
export function shownBytes(name: Uint8Array): string {
  const text = Array.from(name, (byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `"${text.join('')}"`;
}
