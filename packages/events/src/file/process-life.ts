import { readFileSync } from 'node:fs';
import { pid } from 'node:process';
import { errorCode } from './file-system-error.js';

/** What can be told of another process of this machine. `unseen`: there is one of its number, and nobody can say whether it is it. */
export type ProcessLife = 'dead' | 'alive' | 'unseen';

/**
 * When this process began, in clock ticks since the machine was started; undefined where the system does not say it. Only
 * Linux does, where `/proc` shows the processes as this one sees them.
 */
export const ownStartTime: string | undefined = (() => {
  const own = processStat('self');
  return own?.id === pid ? own.startTime : undefined;
})();

/**
 * Whether the process lives that had this number and began at this time. A number is used again after a process has ended, and
 * a start time is not. A stopped process (SIGSTOP) is alive. One that was killed and that its parent has not waited for is
 * dead, unless a thread of it is still at work.
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
