import { SupervisedProcess } from './supervised-process.js';

/** What a program writes. */
export interface ProgramOutput {
  readonly closed: boolean;
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** What a program reads. */
export interface ProgramInput {
  readonly writable: boolean;
  /** What it has not read yet. Unit: bytes. */
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
  /** Asks all its processes to end, and ends them after half a second. */
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
