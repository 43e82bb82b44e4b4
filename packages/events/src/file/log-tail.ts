import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { adoptEvent } from '../parse-event.js';
import { countLines, eventOfBytes, isBlank, readRange } from './log-lines.js';

/** A line that begins with this is followed by another event of the same append. JSON ignores it. */
export const continues = ' ';

/** The ends of the appends of a log. Unit: bytes. */
export interface LogTail {
  /** The end of the last append that has its newline. */
  readonly end: number;
  /** The end of the last whole append: equal to `end`, or the end of the file if only the final newline is missing. */
  readonly wholeEnd: number;
}

/**
 * Examines the end of a log, from `base` (the start of a line) to `size`, for the traces of a crash: a line without its
 * newline, a last line that is not JSON, lines of an append whose last line is missing, and pages that were never written (NUL,
 * which JSON text cannot hold). An append counts as soon as its last line is whole, because that line is written after the
 * others. Blank lines belong to the append before them. If nothing is torn, only the last line and the blank lines after it are
 * read.
 *
 * @throws {@link EventStoreError} when a line is not an event and no crash explains it.
 */
export async function findTail(handle: FileHandle, file: string, base: number, size: number): Promise<LogTail> {
  let wholeEnd: number | undefined;
  let blankEnd: number | undefined;
  for (let end = size; end > base;) {
    const start = await startOfLine(handle, base, end);
    const line = await readRange(handle, start, end);
    if (line.at(-1) === newline && isBlank(line)) {
      blankEnd ??= end;
      end = start;
      continue;
    }
    const kind = kindOf(line);
    if (kind === 'whole') {
      const itsEnd = blankEnd ?? end;
      wholeEnd ??= itsEnd;
      if (line.at(-1) === newline) return { end: itsEnd, wholeEnd };
    }
    blankEnd = undefined;
    const torn = kind === 'not-json' && (end === size || line.includes(0));
    // Throws an error that describes the line.
    if (kind === 'not-an-event' || (kind === 'not-json' && !torn)) {
      eventOfBytes(line, { file, line: (await countLines(handle, file, 0, start)).lines + 1 });
    }
    end = start;
  }
  return { end: blankEnd ?? base, wholeEnd: wholeEnd ?? blankEnd ?? base };
}

const newline = 0x0a;
const blockBytes = 1 << 16;

// A truncated JSON object is not valid JSON. So valid JSON that is not an event is not torn: another program wrote it.
function kindOf(line: Buffer): 'whole' | 'continues' | 'not-json' | 'not-an-event' {
  let json: unknown;
  try {
    if (!isUtf8(line)) return 'not-json';
    json = JSON.parse(line.toString('utf8'));
  } catch {
    return 'not-json';
  }
  try {
    adoptEvent(json);
  } catch {
    return 'not-an-event';
  }
  return line[0] === continues.charCodeAt(0) ? 'continues' : 'whole';
}

async function startOfLine(handle: FileHandle, base: number, end: number): Promise<number> {
  // The byte before `end` may be this line's own newline.
  for (let to = end - 1; to > base;) {
    const from = Math.max(base, to - blockBytes);
    const cut = (await readRange(handle, from, to)).lastIndexOf(newline);
    if (cut !== -1) return from + cut + 1;
    to = from;
  }
  return base;
}
