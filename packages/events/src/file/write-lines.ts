import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { continues } from './log-tail.js';

/** The lines that are appended together. */
export interface AppendLines {
  /** All lines. Each line except the last has the mark {@link continues}. */
  readonly bytes: Buffer;
  /** Where the last line begins, which makes the append count. */
  readonly lastStart: number;
  readonly count: number;
}

/** The lines of events given as JSON texts. At least one event is required. */
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
 * Appends the lines. The last line makes the append count. With `fsync` it is written after the other lines are on the disk, so
 * a power cut never leaves the last line without the others. `fdatasync` is enough for a file whose name is on the disk: it
 * stores the size with the data.
 *
 * Without `fsync` a write is a copy into the system's memory. Handing a small write to a thread costs ten times as much as the
 * copy, so small writes are synchronous.
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
