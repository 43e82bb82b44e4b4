import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process of this machine. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** The program with its arguments. */
  readonly command: string;
}

/** Returns all processes. They are looked for again and again, so where there is /proc no `ps` is started for that. */
export function runningProcesses(): readonly RunningProcess[] {
  const pids = numbersIn('/proc');
  if (pids.length > 0) return pids.flatMap((pid) => inProc(pid) ?? []);
  const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return [...list.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)].map(([, pid, parent, command = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    command,
  }));
}

/** Returns true if a process runs whose program and arguments hold the text. */
export function isRunning(text: string): boolean {
  return runningProcesses().some(({ command }) => command.includes(text));
}

/** Undefined if it has ended meanwhile, or is about to: then it has no arguments. */
function inProc(pid: number): RunningProcess | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in parentheses and may hold any character.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return command === '' ? undefined : { pid, parent, command };
  } catch {
    return undefined;
  }
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
