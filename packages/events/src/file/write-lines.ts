import type { FileHandle } from 'node:fs/promises';
import type { Event } from '../event.js';
import { continues } from './log-tail.js';

/** The lines of one append. */
export interface AppendLines {
  /** All lines but the last, each marked as followed by another one. */
  readonly body: Buffer;
  /** The line that makes the append count. */
  readonly last: Buffer;
  readonly count: number;
}

/** The lines that some events make. There is at least one event. */
export function linesOf(events: readonly Event[]): AppendLines {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  const last = lines.pop() ?? '';
  return {
    body: Buffer.from(lines.map((line) => continues + line).join('')),
    last: Buffer.from(last),
    count: events.length,
  };
}

/**
 * Appends the lines of one append. The last line makes it count, so with `fsync` it is written when those before it are on
 * the disk: after a power cut the last line is never there without the others.
 */
export async function writeLines(handle: FileHandle, { body, last }: AppendLines, fsync: boolean): Promise<void> {
  if (fsync && body.length > 0) {
    await writeAll(handle, body);
    await handle.sync();
    await writeAll(handle, last);
  } else {
    await writeAll(handle, Buffer.concat([body, last]));
  }
  if (fsync) await handle.sync();
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await handle.write(bytes, written)).bytesWritten;
  }
}
