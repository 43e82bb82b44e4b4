import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { errorCode, syncFolder } from './files.js';
import type { ExaminedLog } from './known-log.js';
import { readRange } from './log-lines.js';

/** The torn end that a crash left in a log, and its repair. Acknowledged events are never torn. */
export interface RepairReport {
  readonly conversationId: string;
  readonly file: string;
  /** The first line of the torn append, counted from 1. */
  readonly line: number;
  /**
   * `'truncated'`: the torn append was cut off and kept in `savedTo`. `'newline-added'`: the last append lacked only its
   * newline, so it was completed and kept. `'left-out'`: the log cannot be written, so the file was not changed, and readers
   * skip the torn append.
   */
  readonly repair: 'truncated' | 'newline-added' | 'left-out';
  /** The size of the torn part. Unit: bytes. */
  readonly tornBytes: number;
  /** The file that holds the torn bytes now. */
  readonly savedTo?: string;
}

/** The repair of a torn append. */
export type Repair = Pick<RepairReport, 'repair' | 'tornBytes' | 'savedTo'>;

/**
 * Repairs a torn end, so that the log ends with a whole append. The caller holds the lock. Torn bytes go to `tornPath` plus a
 * number.
 */
export async function repairTail(handle: FileHandle, log: ExaminedLog, tornPath: string): Promise<Repair> {
  const { tail, fileSize } = log;
  if (tail.wholeEnd === fileSize) {
    await handle.write('\n');
    return { repair: 'newline-added', tornBytes: 0 };
  }
  const savedTo = await save(tornPath, await readRange(handle, tail.end, fileSize));
  await syncFolder(dirname(savedTo));
  await handle.truncate(tail.end);
  return { repair: 'truncated', tornBytes: fileSize - tail.end, savedTo };
}

/** Emits a process warning for a repair. Used if the host sets no `onRepair`. */
export function warnOfRepair(report: RepairReport): void {
  const { file, line, tornBytes, savedTo, repair } = report;
  const what = {
    truncated: `${tornBytes} bytes of an append that was cut short by a crash were moved to ${savedTo}`,
    'newline-added': 'the last event lacked its newline, which was added',
    'left-out': `${tornBytes} bytes of an append that was cut short by a crash are left out; the file cannot be written`,
  }[repair];
  process.emitWarning(`${file}:${line}: ${what}`, {
    type: 'PalimpsestRepair',
    code: `PALIMPSEST_${repair.toUpperCase().replace('-', '_')}`,
  });
}

async function save(path: string, bytes: Buffer): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = `${path}${number}`;
    try {
      const handle = await open(candidate, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      return candidate;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}
