import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { PalimpsestError } from '@palimpsest/events';
import { codeOf } from '../workspace/problems.js';
import { endProcesses, processesOf, sendSignal } from './processes.js';
import type { CommandMarks, CommandProcess } from './processes.js';

/** The surroundings in which a program is started. */
export interface SupervisedProcessOptions {
  /** The folder in which it runs. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** `one`: no input, and one pipe for all that it writes. `three`: a pipe each. @defaultValue 'three' */
  readonly streams?: ProgramStreams;
  /** The time between the request to end and the end. Unit: milliseconds. @defaultValue 500 */
  readonly politeMs?: number;
}

/** The operating system did not start a command. */
export class CommandNotStartedError extends PalimpsestError {
  static override get typeName(): string {
    return 'CommandNotStartedError';
  }

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const way = ways[codeOf(cause) ?? ''] ?? '';
    super('command-not-started', `The command was not started: ${reason}.${way}`, { cause });
  }
}

const ways: Readonly<Record<string, string>> = {
  ENOENT: ' Does the folder of the workspace exist?',
  E2BIG: ' It is too long for the system: write it into a file, and run that.',
  ERR_INVALID_ARG_VALUE: ' A command cannot hold a NUL character.',
};

/**
 * A program with all processes that it starts, in a session of its own: there is no terminal to ask for passwords on. They end with
 * this process, however that one ends. One escapes that both moved to a session of its own and cleared its environment, or on a system
 * without /proc one that moved.
 */
export class SupervisedProcess {
  readonly #child: ChildProcess;
  readonly #politeMs: number;
  readonly #marker = randomUUID();
  readonly #watchers = new Set<number>();

  /** The end of the program: its status, or the name of a signal. @throws {@link CommandNotStartedError} */
  readonly exit: Promise<readonly [number | null, NodeJS.Signals | null]>;
  /** The watcher has said which process it is, or is gone. */
  readonly watched: Promise<void>;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** While it is open the watcher waits. */
  readonly lifeline: Socket;

  /** @param program - the name or path of the program, then its arguments */
  constructor(program: readonly string[], options: SupervisedProcessOptions) {
    this.#child = started([this.#marker, ...program], options);
    this.#politeMs = options.politeMs ?? 500;
    this.exit = new Promise((resolve, reject) => {
      this.#child.once('error', (error) => reject(new CommandNotStartedError(error)));
      this.#child.once('exit', (status, by) => resolve([status, by]));
    });
    const [stdin, stdout, stderr, lifeline] = this.#child.stdio as unknown as readonly (Socket | null | undefined)[];
    // No more files can be opened: the error follows.
    this.stdin = stdin ?? new Socket();
    this.stdout = stdout ?? new Socket();
    this.stderr = stderr ?? new Socket();
    this.lifeline = lifeline ?? new Socket();
    this.watched = new Promise((resolve) => {
      this.lifeline.once('close', () => resolve());
      this.lifeline.setEncoding('latin1').once('data', (pid: string) => {
        this.#watchers.add(Number.parseInt(pid, 10));
        resolve();
      });
    });
    // The other end may be closed by then.
    this.lifeline.on('error', () => undefined);
  }

  /** Undefined if it was not started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Its processes that run now. */
  processes(): readonly CommandProcess[] {
    return processesOf(this.#marks());
  }

  /** Requests the end of all, and ends them after a while. */
  end(): void {
    const { pid } = this;
    if (pid === undefined) return;
    sendSignal(-pid, 'SIGTERM');
    sendSignal(-pid, 'SIGCONT');
    const timer = setTimeout(() => this.kill(), this.#politeMs);
    this.#child.once('exit', () => clearTimeout(timer));
  }

  /** Ends all. */
  kill(): void {
    const { pid: session } = this;
    if (session === undefined) return;
    const marks = this.#marks();
    // One that is found may have started another meanwhile.
    for (let round = 0; round < 3; round++) {
      const found = processesOf(marks);
      if (found.length === 0) break;
      endProcesses(found);
    }
    sendSignal(-session, 'SIGKILL');
    this.lifeline.destroy();
  }

  /** Lets this process end while the program runs; the program then ends with it. */
  unref(): void {
    for (const stream of [this.stdin, this.stdout, this.stderr, this.lifeline]) stream.unref();
    this.#child.unref();
  }

  /** Lets this process wait for the end of the program again. */
  ref(): void {
    this.#child.ref();
  }

  #marks(): CommandMarks {
    return { session: this.pid ?? 0, marker: `${markerName}=${this.#marker}`, watchers: this.#watchers };
  }
}

function started(program: readonly string[], { cwd, env, streams = 'three' }: SupervisedProcessOptions): ChildProcess {
  try {
    return spawn('/bin/sh', ['-c', supervisor(streams), 'sh', ...program], {
      cwd,
      env: { ...env },
      stdio: streams === 'one' ? ['ignore', 'pipe', 'ignore', 'pipe'] : ['pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    throw new CommandNotStartedError(error);
  }
}

/**
 * The shell script that starts a command, so that its processes end with the process that asked for it, however that one
 * ends: killed, too, it closes its end of descriptor 3. The script's watcher reads there until the end. It then ends the
 * processes that carry the marker, which moved to a session of their own, and its own process group, in which the command is.
 * It hears no signal that a command sends to its own group, and no program has it for a child.
 *
 * Its arguments: the marker, then the program with its arguments.
 *
 * @param streams - `one`: standard error goes where standard output goes, so that lines come in the order in which they were written
 */
const supervisor = (streams: ProgramStreams): string => `
marker=$1
shift
(
  {
    trap '' TERM INT HUP QUIT USR1 USR2
    exec >/dev/null 2>&1
    read -r closed <&3
    for round in 1 2 3; do
      for found in $(grep -lF -- "$marker" /proc/[0-9]*/environ); do
        found=\${found#/proc/}
        kill -KILL "\${found%%/*}"
      done
    done
    kill -KILL 0
  } &
  echo $! >&3
)
exec 3>&-${streams === 'one' ? ' 2>&1' : ''}
export ${'PALIMPSEST_COMMAND'}="$marker"
exec "$@"
`;

/** The pipes of a program: one for all output, or one each, and then it has an input too. */
export type ProgramStreams = 'one' | 'three';

/** The variable by which the processes of a command are found, wherever they moved. */
const markerName = 'PALIMPSEST_COMMAND';

/** The output of a program. */
export interface ProgramOutput {
  readonly closed: boolean;
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** The input of a program. */
export interface ProgramInput {
  readonly writable: boolean;
  /** The bytes that it has not read yet. Unit: bytes. */
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A program that runs, with all processes that it starts. */
export interface SupervisedProgram {
  /** Undefined if it was not started. */
  readonly pid: number | undefined;
  /** Its status, or the name of the signal that ended it. Rejects with a `CommandNotStartedError`. */
  readonly exit: Promise<readonly [status: number | null, signal: string | null]>;
  readonly stdin: ProgramInput;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput;
  /** Requests the end of all its processes, and ends them after half a second. */
  end(): void;
  /** Ends all its processes. */
  kill(): void;
  /** Lets this process end while the program runs; the program then ends with it. */
  unref(): void;
  /** Lets this process wait for the end of the program again. */
  ref(): void;
}

/**
 * Starts a program in a session of its own: there is no terminal to ask for passwords on. It and all that it starts end with this
 * process, however that one ends. One escapes that both moved to a session of its own and cleared its environment, or on a system
 * without /proc one that moved. Needs `/bin/sh`.
 *
 * @param program - the name or path of the program, then its arguments
 * @param options - the folder in which it runs, and its environment
 * @throws `CommandNotStartedError`, or `exit` rejects with it
 */
export function startProgram(
  program: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): SupervisedProgram {
  return new SupervisedProcess(program, { ...options, streams: 'three' });
}
