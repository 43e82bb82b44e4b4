import { fstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { countLines, readRange } from './log-lines.js';
import { findTail } from './log-tail.js';
import type { LogTail } from './log-tail.js';
import type { AppendLines } from './write-lines.js';

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

/** The end of a log as it is now. */
export interface LogEnd {
  readonly identity: string;
  /** What was known of it before, and still holds: its beginning, where nothing was. */
  readonly base: LogPosition;
  readonly tail: LogTail;
  /** The size of the file, torn bytes included. Unit: bytes. */
  readonly fileSize: number;
}

/** A log as it is now. */
export interface ExaminedLog extends KnownLog {
  /** How its end looks. Its `end` is the log's `size`. */
  readonly tail: LogTail;
  /** The size of the file, torn bytes included. Unit: bytes. */
  readonly fileSize: number;
}

const rememberedBytes = 256;

/**
 * Looks at the end of an open log. Cost: a look at its size and its last bytes where it is as remembered, else its last line.
 *
 * @throws {@link EventStoreError} when what stands at its end is no event.
 */
export async function examineEnd(handle: FileHandle, file: string, known: KnownLog | undefined): Promise<LogEnd> {
  for (;;) {
    // Of an open file the system knows this without asking the disk, so it is not worth a thread.
    const stat = fstatSync(handle.fd, { bigint: true });
    const fileSize = Number(stat.size);
    const identity = [stat.dev, stat.ino, stat.birthtimeNs].join(':');
    try {
      const base = known !== undefined && (await isThere(known, handle, identity, fileSize)) ? known : beginning;
      return { identity, base, tail: await findTail(handle, file, base.size, fileSize), fileSize };
    } catch (error) {
      // A reader has no lock: a writer may have cut off a torn end while this one looked at it.
      const now = fstatSync(handle.fd, { bigint: true });
      if (now.size === stat.size && now.ctimeNs === stat.ctimeNs) throw error;
    }
  }
}

/**
 * Looks at an open log. Cost: {@link examineEnd}, and what was added since.
 *
 * @throws {@link EventStoreError} when what stands at its end is no event.
 */
export async function examineLog(handle: FileHandle, file: string, known: KnownLog | undefined): Promise<ExaminedLog> {
  const { identity, base, tail, fileSize } = await examineEnd(handle, file, known);
  if (base === known && tail.end === known.size) return { ...known, tail, fileSize };
  const added = await countLines(handle, file, base.size, tail.end);
  const [version, lines] = [base.version + added.events, base.lines + added.lines];
  return { ...(await knownAt(handle, identity, { size: tail.end, version, lines })), tail, fileSize };
}

/** What is to be remembered of a log of which this much was counted. */
export async function knownAt(handle: FileHandle, identity: string, counted: LogPosition): Promise<KnownLog> {
  const { size } = counted;
  return { ...counted, identity, lastBytes: await readRange(handle, Math.max(0, size - rememberedBytes), size) };
}

/** What is known of a log when these lines were appended to it. */
export function withAppended(log: KnownLog, { bytes, count }: AppendLines): KnownLog {
  return {
    identity: log.identity,
    size: log.size + bytes.length,
    lastBytes: Buffer.concat([log.lastBytes, bytes.subarray(-rememberedBytes)]).subarray(-rememberedBytes),
    version: log.version + count,
    lines: log.lines + count,
  };
}

/** Where every log begins. */
export const beginning: LogPosition = { size: 0, version: 0, lines: 0 };

// A whole append can disappear again, when its fsync fails, and another one can take its place.
async function isThere(known: KnownLog, handle: FileHandle, identity: string, fileSize: number): Promise<boolean> {
  if (known.identity !== identity || known.size > fileSize) return false;
  const { size, lastBytes } = known;
  return (await readRange(handle, size - lastBytes.length, size)).equals(lastBytes);
}
