import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { EventStoreError, InvalidEventError } from '../errors.js';
import type { Event } from '../event.js';
import { adoptEvent } from '../parse-event.js';

const newline = 0x0a;
const openingBrace = 0x7b;
const blank = /^[ \t\r]*$/;
const blockBytes = 1 << 18;

/**
 * The bytes of `[start, end)` in blocks of whole lines; only the last may lack its newline. A block is 256 KiB, or as long as
 * its longest line. The next block reuses the memory of the last one: finish using a block before you request the next.
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
export interface LineCount {
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
export function linesIn(block: Buffer): LineCount {
  let lines = 0;
  let events = 0;
  for (let start = 0, end = block.indexOf(newline); end !== -1; start = end + 1, end = block.indexOf(newline, start)) {
    lines++;
    if (!isBlank(block, start, end)) events++;
  }
  return { lines, events };
}

/** True if `[start, end)` contains only blanks. A blank line is no event and no error. */
export function isBlank(bytes: Buffer, start = 0, end = bytes.length): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== newline) return false;
  }
  return true;
}

/** The place of a line, for errors. The first line is 1. */
export interface LinePlace {
  readonly file: string;
  readonly line: number;
}

/** The content of a block of whole lines. */
export interface ParsedBlock extends LineCount {
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
 * The event of one line.
 *
 * @throws {@link EventStoreError} when the line is not one event; its cause is an {@link InvalidEventError}.
 */
export function eventOfBytes(line: Buffer, place: LinePlace): Event {
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
  return new EventStoreError(`${place.file}:${place.line}: ${(cause as Error).message}`, { ...place, cause });
}

/** The bytes of `[start, end)`; fewer where the file is shorter. */
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
