import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process that a command started. */
export interface CommandProcess {
  readonly pid: number;
  /** The name of its program, at most 15 characters. */
  readonly name: string;
}

/** By what the processes of a command are known. */
export interface CommandMarks {
  /** The session that its shell opened. */
  readonly session: number;
  /** The mark in the environment of each of its programs. */
  readonly marker: string;
  /** Not counted: the processes that watch over the others. */
  readonly watchers: ReadonlySet<number>;
}

interface Status {
  readonly name: string;
  readonly state: string;
  readonly session: number;
  /** Unit: clock ticks since the machine started. */
  readonly startedAt: number;
}

/**
 * Returns the processes of a command that run now: those of its session, and those that left it and kept their environment. A
 * process that did both, left the session and cleared its environment, is not found. Where there is no /proc, as on macOS, only
 * those are found that stayed in the shell's process group.
 */
export function processesOf(marks: CommandMarks): readonly CommandProcess[] {
  const pids = numbersIn('/proc');
  return pids.length > 0 ? foundIn(pids, marks) : foundInList(listOfProcesses(), marks);
}

function foundIn(pids: readonly number[], { session, marker, watchers }: CommandMarks): readonly CommandProcess[] {
  const all = pids.flatMap((pid) => {
    const status = watchers.has(pid) ? undefined : statusOf(pid);
    return status === undefined || status.state === 'Z' || status.state === 'X' ? [] : [{ pid, ...status }];
  });
  // Their environments are read only of what is young enough: reading is slow, and others' processes are none of ours.
  const begin = Math.min(...all.filter((each) => each.session === session).map(({ startedAt }) => startedAt));
  const since = Number.isFinite(begin) ? begin : startOf(watchers);
  return all
    .filter((each) => each.session === session || (each.startedAt >= since && holds(each.pid, marker)))
    .map(({ pid, name }) => ({ pid, name }));
}

/** Ends processes at once. One that ended meanwhile is no error. */
export function endProcesses(processes: Iterable<CommandProcess>): void {
  for (const { pid } of processes) sendSignal(pid, 'SIGKILL');
}

/** Sends a signal to a process, or with a negative number to a group. False if there is none. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function startOf(pids: ReadonlySet<number>): number {
  return Math.min(...[...pids].map((pid) => statusOf(pid)?.startedAt ?? 0));
}

/**
 * Returns the processes of a group in a list of `ps`.
 *
 * @param list - lines of: number, group, state, name
 */
export function foundInList(list: string, { session, watchers }: CommandMarks): readonly CommandProcess[] {
  return [...list.matchAll(/^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/gm)].flatMap(([, pid, group, state = '', name = '']) =>
    Number(group) === session && !state.startsWith('Z') && !watchers.has(Number(pid))
      ? [{ pid: Number(pid), name: name.trim() }]
      : [],
  );
}

function listOfProcesses(): string {
  try {
    return execFileSync('ps', ['-A', '-o', 'pid=,pgid=,state=,comm='], { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '';
  }
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function statusOf(pid: number): Status | undefined {
  const text = contentOf(`/proc/${pid}/stat`);
  // The name stands in parentheses and may hold any character.
  const end = text?.lastIndexOf(')') ?? -1;
  if (text === undefined || end < 0) return undefined;
  const fields = text.slice(end + 2).split(' ');
  const name = text.slice(text.indexOf('(') + 1, end);
  return { name, state: fields[0] ?? '', session: Number(fields[3]), startedAt: Number(fields[19]) };
}

function holds(pid: number, marker: string): boolean {
  return contentOf(`/proc/${pid}/environ`)?.includes(marker) ?? false;
}

/** Undefined when the process has ended, or belongs to another user. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
