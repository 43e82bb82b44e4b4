import { sliceText } from '@palimpsest/events';
import type { OpenFile } from './workspace-file.js';
import { UnusableFileError } from './errors.js';

/** Files above this size are not read whole. Unit: bytes. */
export const maxWholeBytes = 10_000_000;

/**
 * Reads the whole content of an open file.
 *
 * @param maxBytes - longer files are refused. Unit: bytes. @defaultValue {@link maxWholeBytes}
 */
export async function wholeContent(
  { handle, status }: OpenFile,
  shown: string,
  maxBytes = maxWholeBytes,
): Promise<Buffer> {
  if (status.size > maxBytes) {
    throw new UnusableFileError(shown, `'${shown}' has ${status.size} bytes; at most ${maxBytes} can be read whole.`);
  }
  return handle.readFile();
}

/**
 * Decodes strictly: a replaced byte would be lost when the text is written back. A byte order mark stays in the text.
 *
 * @throws {@link UnusableFileError} when the bytes are no UTF-8 text; it tells the model what to do instead.
 */
export function textOf(bytes: Uint8Array, shown: string): string {
  if (utf16Of(bytes) !== undefined) throw notUtf8(shown, ': it seems to be UTF-16');
  if (bytes.includes(0)) {
    throw new UnusableFileError(shown, `'${shown}' is not a text file. Use run_command to look at it.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notUtf8(shown, '', cause);
  }
}

/** The encoding that a byte order mark of UTF-16 names. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** The error for bytes that are no UTF-8. */
export function notUtf8(shown: string, detail: string, cause?: unknown): UnusableFileError {
  const message = `'${shown}' is not UTF-8 text${detail}. Use run_command to look at it or to convert it.`;
  return new UnusableFileError(shown, message, { cause });
}

/** The byte order mark, which a text may begin with. */
export const byteOrderMark = '\ufeff';

/** The lines of a text; a line break at its end begins no new line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** True when every line break of a text is CRLF, and there is one. */
export function hasCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
}

/** A line as it is shown: without the CR of its end, and cut if it is long. */
export function shownLine(line: string, maxCharacters: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= maxCharacters) return text;
  return `${sliceText(text, 0, maxCharacters)} [… the line has ${text.length} characters]`;
}

/** Lines with their numbers in front, from a given line on (the first is 1). */
export function numbered(lines: readonly string[], firstLine: number): string {
  const width = String(firstLine + lines.length - 1).length;
  return lines.map((line, index) => `${String(firstLine + index).padStart(width)}\t${line}`).join('\n');
}
