import type { FileHandle } from 'node:fs/promises';
import { countLines, readRange } from './log-lines.js';
import { findTail } from './log-tail.js';
import type { LogTail } from './log-tail.js';

/** So many events stand in the first so many bytes. */
export type LogPosition = Pick<KnownLog, 'size' | 'version' | 'lines'>;

/** What a store remembers of a log, so that it need not read it again: so many events in the first so many bytes. */
export interface KnownLog {
  /** Tells this file from another one that takes its name. */
  readonly identity: string;
  /** The end of a whole append. Unit: bytes. */
  readonly size: number;
  /** The bytes before that end, by which it is known again. */
  readonly lastBytes: Buffer;
  /** Unit: events. */
  readonly version: number;
  /** Blank lines count. Unit: lines. */
  readonly lines: number;
}

/** A log as it is now. */
export interface ExaminedLog extends KnownLog {
  /** What was known of it before, and still holds: its beginning, where nothing was. */
  readonly base: LogPosition;
  /** How its end looks. Its `end` is the log's `size`. */
  readonly tail: LogTail;
  /** The size of the file, torn bytes included. Unit: bytes. */
  readonly fileSize: number;
}

const rememberedBytes = 256;

/**
 * Looks at an open log. Cost: a look at its size and its last bytes where it is as remembered, else what was added since.
 *
 * @throws {@link EventStoreError} when what stands at its end is no event.
 */
export async function examineLog(handle: FileHandle, file: string, known: KnownLog | undefined): Promise<ExaminedLog> {
  const stat = await handle.stat({ bigint: true });
  const fileSize = Number(stat.size);
  const identity = [stat.dev, stat.ino, stat.birthtimeNs].join(':');
  const base = known !== undefined && (await isThere(known, handle, identity, fileSize)) ? known : nothing;
  const tail = await findTail(handle, file, base.size, fileSize);
  const added = await countLines(handle, file, base.size, tail.end);
  const lastBytes =
    tail.end === base.size
      ? base.lastBytes
      : await readRange(handle, Math.max(0, tail.end - rememberedBytes), tail.end);
  const [version, lines] = [base.version + added.events, base.lines + added.lines];
  // Not the object itself, which knows of one before it.
  const position = { size: base.size, version: base.version, lines: base.lines };
  return { identity, size: tail.end, lastBytes, version, lines, base: position, tail, fileSize };
}

/** What is known of a log when these bytes, so many events, were appended to it. */
export function withAppended(log: KnownLog, bytes: Buffer, events: number): KnownLog {
  return {
    identity: log.identity,
    size: log.size + bytes.length,
    lastBytes: Buffer.concat([log.lastBytes, bytes.subarray(-rememberedBytes)]).subarray(-rememberedBytes),
    version: log.version + events,
    lines: log.lines + events,
  };
}

const nothing = { size: 0, version: 0, lines: 0, lastBytes: Buffer.alloc(0) };

// A whole append can disappear again, when its fsync fails, and another one can take its place.
async function isThere(known: KnownLog, handle: FileHandle, identity: string, fileSize: number): Promise<boolean> {
  if (known.identity !== identity || known.size > fileSize) return false;
  const { size, lastBytes } = known;
  return (await readRange(handle, size - lastBytes.length, size)).equals(lastBytes);
}
