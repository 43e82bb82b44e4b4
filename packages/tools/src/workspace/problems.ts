/** Returns the code of an error of the file system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** Returns undefined for an error of a missing file or folder. Throws every other error. */
export function ifAbsent(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}

/** Problems of a path, to follow its name. The system's own message would name the place on this machine. */
export function problemOf(error: unknown): string {
  const code = codeOf(error);
  return (code === undefined ? undefined : problems[code]) ?? `cannot be used (${code ?? 'unknown reason'})`;
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'lies below a file, which is no folder',
  ELOOP: 'is a circle of symbolic links',
  ENAMETOOLONG: 'has a name that is too long for the file system',
  EACCES: 'cannot be used: permission denied',
  EPERM: 'cannot be used: the operation is not permitted',
  EROFS: 'cannot be written: the file system is read-only',
  ENOSPC: 'cannot be written: no space is left',
  EDQUOT: 'cannot be written: the quota is used up',
  EMFILE: 'cannot be opened: too many files are open',
};

/** Characters that break a line, drive a terminal, hide text, or make a quoted name ambiguous. */
const odd = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"\\]|^\s|\s$/u;

/**
 * Returns a path on one line. A path with line breaks, escapes, invisible characters, quotes or backslashes is shown as a JSON
 * string, so that a file's name cannot pass for something else. A tool takes the decoded string.
 */
export function shownName(path: string): string {
  if (!odd.test(path)) return path;
  return JSON.stringify(path).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Returns a name of bytes that are not UTF-8, with these bytes as `\xNN`. No tool can open it by name. */
export function shownBytes(name: Uint8Array): string {
  const text = Array.from(name, (byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `"${text.join('')}"`;
}
