import { readFileSync } from 'node:fs';
import { pid } from 'node:process';
import { errorCode } from './file-system-error.js';

/**
 * The state of another process of this machine. `unseen`: a process with its number exists, but it may be a different process.
 */
export type ProcessLife = 'dead' | 'alive' | 'unseen';

/**
 * The start time of this process, in clock ticks since the machine was started; undefined if the system does not provide it.
 * Only Linux provides it, if `/proc` shows this process's own process namespace.
 */
export const ownStartTime: string | undefined = (() => {
  const own = processStat('self');
  return own?.id === pid ? own.startTime : undefined;
})();

/**
 * Whether the process with this number and start time lives. Numbers are reused after a process has ended; start times are not.
 * A stopped process (SIGSTOP) is alive. A killed process whose parent has not waited for it is dead, unless one of its threads
 * still runs.
 */
export function processLife(id: number, startTime: string): ProcessLife {
  if (!processExists(id)) return 'dead';
  if (ownStartTime === undefined) return 'unseen';
  const found = processStat(id);
  // Some systems do not show the processes of other users.
  if (found === undefined || !/^\d+$/.test(startTime)) return processExists(id) ? 'unseen' : 'dead';
  return found.startTime === startTime && !found.hasEnded ? 'alive' : 'dead';
}

function processExists(id: number): boolean {
  if (!Number.isSafeInteger(id) || id <= 0) return true;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

interface ProcessStat {
  readonly id: number;
  readonly startTime: string;
  readonly hasEnded: boolean;
}

/** @see proc_pid_stat(5) */
function processStat(id: number | 'self'): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The second field is the program's name in parentheses, and may hold anything.
    const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [threads, startTime] = [Number(rest[16]), rest[18]];
    if (startTime === undefined || !/^\d+$/.test(startTime)) return undefined;
    return { id: Number.parseInt(stat, 10), startTime, hasEnded: 'ZXx'.includes(state) && threads <= 1 };
  } catch {
    return undefined;
  }
}
