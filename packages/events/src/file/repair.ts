import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { errorCode } from './file-system-error.js';
import type { ExaminedLog } from './known-log.js';
import { readRange } from './log-lines.js';
import { syncFolder } from './sync-folder.js';

/** What a crash left at the end of a log, and what was done about it. Nothing that was acknowledged is ever torn. */
export interface RepairReport {
  readonly conversationId: string;
  readonly file: string;
  /** The first line of the torn append, counted from 1. */
  readonly line: number;
  /**
   * `'truncated'`: the torn append was cut off and kept in `savedTo`. `'newline-added'`: the last append was whole and
   * lacked only its newline, so it stays. `'left-out'`: the log cannot be written, so nothing was changed, and readers are
   * not given the torn append.
   */
  readonly repair: 'truncated' | 'newline-added' | 'left-out';
  /** How much was torn. Unit: bytes. */
  readonly tornBytes: number;
  /** The file that holds the torn bytes now. */
  readonly savedTo?: string;
}

/** What was done about a torn append. */
export type Repair = Pick<RepairReport, 'repair' | 'tornBytes' | 'savedTo'>;

/** Makes a log end with a whole append. The caller holds its lock. `tornPath` is where torn bytes go; a number follows. */
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

/** Tells of a repair where the host does not want to know: as a warning of the process. */
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
