import { sliceText } from '@palimpsest/events';
import type { OpenFile } from './open-file.js';
import { UnusableFileError } from './workspace.js';

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

/** Returns the encoding that a byte order mark of UTF-16 names. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** Returns the error for bytes that are no UTF-8. */
function notUtf8(shown: string, detail: string, cause?: unknown): UnusableFileError {
  const message = `'${shown}' is not UTF-8 text${detail}. Use run_command to look at it or to convert it.`;
  return new UnusableFileError(shown, message, { cause });
}

/** The byte order mark, which a text may begin with. */
export const byteOrderMark = '\ufeff';

/** Returns the lines of a text; a line break at its end begins no new line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Returns true when every line break of a text is CRLF, and there is one. */
export function hasCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
}

/** Returns a line as it is shown: without the CR of its end, and cut if it is long. */
export function shownLine(line: string, maxCharacters: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= maxCharacters) return text;
  return `${sliceText(text, 0, maxCharacters)} [… the line has ${text.length} characters]`;
}

/** Returns lines with their numbers in front, from a given line on (the first is 1). */
export function numbered(lines: readonly string[], firstLine: number): string {
  const width = String(firstLine + lines.length - 1).length;
  return lines.map((line, index) => `${String(firstLine + index).padStart(width)}\t${line}`).join('\n');
}

/** The length of one read. Unit: bytes. */
const chunkBytes = 65_536;
/** Behind the last line that is wanted so much is read to count the rest. Unit: bytes. */
const maxCountedBytes = 10_000_000;

const lineFeed = 10;
const carriageReturn = 13;

/** Some lines of a file. */
export interface ReadLines {
  /** Without their line breaks; a longer line is cut, and says how long it is. */
  readonly lines: readonly string[];
  /** The number of lines, as far as they were counted. */
  readonly total: number;
  /** True if all lines were counted. */
  readonly isComplete: boolean;
  /** True if every line that was read ends in CRLF. */
  readonly isCrlf: boolean;
}

/**
 * Reads the lines from `first` to `last`, in pieces. Of a longer line only the beginning is kept.
 *
 * @throws `UnusableFileError` when what was read is no UTF-8 text.
 */
export async function readLines(
  { handle }: OpenFile,
  options: {
    readonly shown: string;
    readonly first: number;
    readonly last: number;
    readonly maxLineCharacters: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<ReadLines> {
  const { shown, first, last, maxLineCharacters, signal } = options;
  /** A character has at most 4 bytes, and one more character shows that the line is longer. */
  const maxLineBytes = (maxLineCharacters + 1) * 4;
  const lines: string[] = [];
  let line = 1;
  let [lineLength, kept] = [0, [] as Buffer[]];
  let keptBytes = 0;
  let [crlf, lf] = [0, 0];
  let previous = 0;
  let behind = 0;
  const buffer = Buffer.allocUnsafe(chunkBytes);

  const take = (piece: Buffer) => {
    lineLength += piece.length;
    if (line < first || line > last || keptBytes >= maxLineBytes) return;
    const part = Buffer.from(piece.subarray(0, maxLineBytes - keptBytes));
    kept.push(part);
    keptBytes += part.length;
  };
  const endLine = () => {
    if (line >= first && line <= last) lines.push(lineText(Buffer.concat(kept), lineLength, shown, maxLineCharacters));
    line += 1;
    [lineLength, kept, keptBytes] = [0, [], 0];
  };

  let isComplete = true;
  for (let position = 0; ;) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (position === 0 && utf16Of(chunk) !== undefined) textOf(chunk, shown);
    if (chunk.includes(0)) textOf(chunk, shown);
    position += bytesRead;
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(lineFeed, start);
      take(chunk.subarray(start, end === -1 ? chunk.length : end));
      if (end === -1) break;
      if ((end > 0 ? chunk[end - 1] : previous) === carriageReturn) crlf += 1;
      else lf += 1;
      endLine();
      start = end + 1;
    }
    previous = chunk.at(-1) ?? 0;
    if (line <= last) continue;
    behind += bytesRead;
    if (behind <= maxCountedBytes) continue;
    isComplete = false;
    break;
  }
  if (lineLength > 0) endLine();
  return { lines, total: line - 1, isComplete, isCrlf: crlf > 0 && lf === 0 };
}

/**
 * Returns a line as it is shown. Of a long one only the beginning was kept, and the cut may be in the middle of a character.
 */
function lineText(bytes: Buffer, length: number, shown: string, maxCharacters: number): string {
  if (bytes.length === length) return shownLine(textOf(bytes, shown), maxCharacters);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return `${sliceText(text, 0, maxCharacters)} [… the line has ${length} bytes]`;
  } catch (cause) {
    throw notUtf8(shown, '', cause);
  }
}
