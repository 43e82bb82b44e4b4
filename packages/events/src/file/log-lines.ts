import { isUtf8 } from 'node:buffer';
import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { EventStoreError, InvalidEventError } from '../errors.js';
import type { Event } from '../event.js';
import { adoptEvent } from '../parse-event.js';

const newline = 0x0a;
const openingBrace = 0x7b;
const blank = /^[ \t\r]*$/;
const blockBytes = 1 << 18;

/**
 * Returns the bytes of `[start, end)` in blocks of whole lines; only the last may lack its newline. A block is 256 KiB,
 * or as long as its longest line. The next block reuses the memory of the last one: finish using a block before you
 * request the next.
 *
 * @throws {@link EventStoreError} when the file ends before `end`.
 */
export async function* lineBlocks(
  handle: FileHandle,
  file: string,
  start: number,
  end: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let buffer = Buffer.allocUnsafeSlow(Math.min(blockBytes, end - start));
  // The number of bytes in the buffer: the beginning of a line.
  let filled = 0;
  for (let position = start; position < end;) {
    signal?.throwIfAborted();
    // Twice the line that did not fit, so that a long line is copied a few times and not once per block.
    if (filled === buffer.length) buffer = Buffer.concat([buffer], 2 * filled);
    const length = Math.min(buffer.length - filled, end - position);
    const { bytesRead } = await handle.read(buffer, filled, length, position);
    if (bytesRead === 0) throw new EventStoreError(`${file}: it became shorter while it was read`, { file });
    position += bytesRead;
    filled += bytesRead;
    const cut = buffer.subarray(0, filled).lastIndexOf(newline) + 1;
    if (cut > 0) yield buffer.subarray(0, cut);
    buffer.copyWithin(0, cut, filled);
    filled -= cut;
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

/** The number of lines that end in a part of a file, and the number of events: the lines that are not blank. */
interface LineCount {
  readonly lines: number;
  readonly events: number;
}

/** Counts the lines that end in `[start, end)`. */
export async function countLines(handle: FileHandle, file: string, start: number, end: number): Promise<LineCount> {
  const count = { lines: 0, events: 0 };
  for await (const block of lineBlocks(handle, file, start, end)) {
    const { lines, events } = linesIn(block);
    count.lines += lines;
    count.events += events;
  }
  return count;
}

/** Counts the lines that end in a block. */
function linesIn(block: Buffer): LineCount {
  let lines = 0;
  let events = 0;
  for (let start = 0, end = block.indexOf(newline); end !== -1; start = end + 1, end = block.indexOf(newline, start)) {
    lines++;
    if (!isBlank(block, start, end)) events++;
  }
  return { lines, events };
}

/** Returns true if `[start, end)` contains only blanks. A blank line is no event and no error. */
function isBlank(bytes: Buffer, start = 0, end = bytes.length): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== newline) return false;
  }
  return true;
}

/** The place of a line, for errors. The first line is 1. */
interface LinePlace {
  readonly file: string;
  readonly line: number;
}

/** The content of a block of whole lines. */
interface ParsedBlock extends LineCount {
  /** The events, without the skipped ones. */
  readonly parsed: readonly Event[];
  /** The error of the first line that is not an event. Later lines are not parsed. */
  readonly error: EventStoreError | undefined;
}

/** Parses a block of whole lines and skips the first `skip` events. `first`: the place of the block's first line. */
export function parseBlock(block: Buffer, first: LinePlace, skip: number): ParsedBlock {
  // Valid UTF-8 is decoded in one call, which is faster than line by line. Otherwise `latin1` maps one byte to one character.
  const isSound = isUtf8(block);
  const text = block.toString(isSound ? 'utf8' : 'latin1');
  const parsed: Event[] = [];
  let lines = 0;
  let events = 0;
  for (let start = 0; start < text.length; lines++) {
    const cut = text.indexOf('\n', start);
    const end = cut === -1 ? text.length : cut;
    const line = text.slice(start, end);
    start = end + 1;
    if (line.charCodeAt(0) !== openingBrace && blank.test(line)) continue;
    if (events++ < skip) continue;
    const place = first.line + lines;
    try {
      parsed.push(
        isSound
          ? eventOfLine(line, first.file, place)
          : eventOfBytes(Buffer.from(line, 'latin1'), { file: first.file, line: place }),
      );
    } catch (error) {
      return { parsed, lines, events, error: error as EventStoreError };
    }
  }
  return { parsed, lines, events, error: undefined };
}

/**
 * Returns the event of one line.
 *
 * @throws {@link EventStoreError} when the line is not one event; its cause is an {@link InvalidEventError}.
 */
function eventOfBytes(line: Buffer, place: LinePlace): Event {
  if (!isUtf8(line)) throw notAnEvent(place, new InvalidEventError({ reason: 'it is not UTF-8', path: [] }));
  return eventOfLine(line.toString('utf8'), place.file, place.line);
}

function eventOfLine(text: string, file: string, line: number): Event {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const reason = `it is not JSON: ${(cause as Error).message}`;
    throw notAnEvent({ file, line }, new InvalidEventError({ reason, path: [], cause }));
  }
  try {
    return adoptEvent(json);
  } catch (cause) {
    throw notAnEvent({ file, line }, cause);
  }
}

function notAnEvent(place: LinePlace, cause: unknown): EventStoreError {
  const message = `${place.file}:${place.line}: ${(cause as Error).message}`;
  return new EventStoreError(message, { ...place, isRetryable: false, cause });
}

/** Returns the bytes of `[start, end)`; fewer where the file is shorter. */
export async function readRange(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** A line that begins with this is followed by another event of the same append. JSON ignores it. */
const continues = ' ';

/** The ends of the appends of a log. Unit: bytes. */
export interface LogTail {
  /** The end of the last append that has its newline. */
  readonly end: number;
  /** The end of the last whole append: equal to `end`, or the end of the file if only the final newline is missing. */
  readonly wholeEnd: number;
}

/**
 * Examines the end of a log, from `base` (the start of a line) to `size`, for the traces of a crash: a line without its
 * newline, a last line that is not JSON, lines of an append whose last line is missing, and pages that were never
 * written (NUL, which JSON text cannot hold). An append counts as soon as its last line is whole, because that line is
 * written after the others. Blank lines belong to the append before them. If nothing is torn, only the last line and
 * the blank lines after it are read.
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

const tailBlockBytes = 1 << 16;

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
    const from = Math.max(base, to - tailBlockBytes);
    const cut = (await readRange(handle, from, to)).lastIndexOf(newline);
    if (cut !== -1) return from + cut + 1;
    to = from;
  }
  return base;
}

/** The lines that are appended together. */
export interface AppendLines {
  /** All lines. Each line except the last has the mark {@link continues}. */
  readonly bytes: Buffer;
  /** The start of the last line, which makes the append count. */
  readonly lastStart: number;
  readonly count: number;
}

/** Returns the lines of events given as JSON texts. At least one event is required. */
export function linesOf(texts: readonly string[]): AppendLines {
  const count = texts.length;
  const last = Buffer.from(`${texts[count - 1]}\n`);
  if (count === 1) return { bytes: last, lastStart: 0, count };
  const body = Buffer.from(`${continues}${texts.slice(0, -1).join(`\n${continues}`)}\n`);
  return { bytes: Buffer.concat([body, last]), lastStart: body.length, count };
}

/** Up to this size, data is written synchronously if `fsync` is off. Unit: bytes. */
const smallBytes = 1 << 16;

/**
 * Appends the lines. The last line makes the append count. With `fsync` it is written after the other lines are on the
 * disk, so a power cut never leaves the last line without the others. `fdatasync` is enough for a file whose name is on
 * the disk: it stores the size with the data.
 *
 * Without `fsync` a write is a copy into the system's memory. Handing a small write to a thread costs ten times as much
 * as the copy, so small writes are synchronous.
 */
export async function writeLines(handle: FileHandle, { bytes, lastStart }: AppendLines, fsync: boolean): Promise<void> {
  if (!fsync && bytes.length <= smallBytes) {
    for (let written = 0; written < bytes.length;) written += writeSync(handle.fd, bytes, written);
    return;
  }
  if (fsync && lastStart > 0) {
    await writeAll(handle, bytes.subarray(0, lastStart));
    await handle.datasync();
    await writeAll(handle, bytes.subarray(lastStart));
  } else {
    await writeAll(handle, bytes);
  }
  if (fsync) await handle.datasync();
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await handle.write(bytes, written)).bytesWritten;
  }
}
