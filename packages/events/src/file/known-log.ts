import { fstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { countLines, findTail, readRange } from './log-lines.js';
import type { AppendLines, LogTail } from './log-lines.js';

/** The number of events and lines in the first `size` bytes of a log. */
type LogPosition = Pick<KnownLog, 'size' | 'version' | 'lines'>;

/**
 * The data that a store remembers of a log, so that it need not read the log again: the number of events in its first `size`
 * bytes.
 */
export interface KnownLog {
  /** Identifies the file, even if another file takes its name. */
  readonly identity: string;
  /** The end of a whole append. Unit: bytes. */
  readonly size: number;
  /** The bytes before `size`. They show whether the log still has the known content. */
  readonly lastBytes: Buffer;
  /** Unit: events. */
  readonly version: number;
  /** Blank lines count. Unit: lines. */
  readonly lines: number;
}

/** The end of a log as it is now. */
export interface LogEnd {
  readonly identity: string;
  /** The remembered position, if it still holds; otherwise the beginning of the log. */
  readonly base: LogPosition;
  readonly tail: LogTail;
  /** The size of the file, torn bytes included. Unit: bytes. */
  readonly fileSize: number;
}

/** A log as it is now. */
export interface ExaminedLog extends KnownLog {
  /** The state of the log's end. Its `end` is the log's `size`. */
  readonly tail: LogTail;
  /** The size of the file, torn bytes included. Unit: bytes. */
  readonly fileSize: number;
}

const rememberedBytes = 256;

/**
 * Examines the end of an open log. Reads the size and the last bytes if the log is as remembered, else the last line.
 *
 * @throws {@link EventStoreError} when the end of the log is not an event.
 */
export async function examineEnd(handle: FileHandle, file: string, known: KnownLog | undefined): Promise<LogEnd> {
  for (;;) {
    // The system knows the size of an open file without a disk access, so the synchronous call is cheaper than a thread.
    const stat = fstatSync(handle.fd, { bigint: true });
    const fileSize = Number(stat.size);
    const identity = [stat.dev, stat.ino, stat.birthtimeNs].join(':');
    try {
      const base = known !== undefined && (await isThere(known, handle, identity, fileSize)) ? known : beginning;
      return { identity, base, tail: await findTail(handle, file, base.size, fileSize), fileSize };
    } catch (error) {
      // A reader has no lock: a writer may have cut off a torn end during this read.
      const now = fstatSync(handle.fd, { bigint: true });
      if (now.size === stat.size && now.ctimeNs === stat.ctimeNs) throw error;
    }
  }
}

/**
 * Examines an open log. The cost is that of {@link examineEnd}, and linear in the bytes added since.
 *
 * @throws {@link EventStoreError} when the end of the log is not an event.
 */
export async function examineLog(handle: FileHandle, file: string, known: KnownLog | undefined): Promise<ExaminedLog> {
  const { identity, base, tail, fileSize } = await examineEnd(handle, file, known);
  if (base === known && tail.end === known.size) return { ...known, tail, fileSize };
  const added = await countLines(handle, file, base.size, tail.end);
  const [version, lines] = [base.version + added.events, base.lines + added.lines];
  return { ...(await knownAt(handle, identity, { size: tail.end, version, lines })), tail, fileSize };
}

/** Returns the data to remember of a log that was counted up to this position. */
export async function knownAt(handle: FileHandle, identity: string, counted: LogPosition): Promise<KnownLog> {
  const { size } = counted;
  return { ...counted, identity, lastBytes: await readRange(handle, Math.max(0, size - rememberedBytes), size) };
}

/** Returns the known data of a log after these lines were appended. */
export function withAppended(log: KnownLog, { bytes, count }: AppendLines): KnownLog {
  return {
    identity: log.identity,
    size: log.size + bytes.length,
    lastBytes: Buffer.concat([log.lastBytes, bytes.subarray(-rememberedBytes)]).subarray(-rememberedBytes),
    version: log.version + count,
    lines: log.lines + count,
  };
}

/** The beginning of every log. */
export const beginning: LogPosition = { size: 0, version: 0, lines: 0 };

// A whole append can disappear if its fsync fails, and another append can take its place.
async function isThere(known: KnownLog, handle: FileHandle, identity: string, fileSize: number): Promise<boolean> {
  if (known.identity !== identity || known.size > fileSize) return false;
  const { size, lastBytes } = known;
  return (await readRange(handle, size - lastBytes.length, size)).equals(lastBytes);
}
