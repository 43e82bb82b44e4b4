import { spawn } from 'node:child_process';

/** A program with its arguments. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** The output and the end of a program. */
export interface Finished {
  readonly output: string;
  readonly errors: string;
  /** Undefined if it was ended because of its time. */
  readonly status: number | undefined;
}

/** A program that runs. */
export interface Running {
  /** Writes a line to its standard input. */
  write(line: string): void;
  /** Resolves with the output when it matches, or when the program has ended. */
  until(words: RegExp): Promise<string>;
}

/**
 * Runs a program to its end. After `timeoutMs` it is ended with all that it started.
 *
 * @param talk - talks with the program, which ends with it. @defaultValue its standard input is closed
 */
export async function run(
  { program, args, env, cwd }: Command,
  timeoutMs: number,
  talk?: (running: Running) => Promise<void>,
): Promise<Finished> {
  // A group of its own, so that what an agent starts ends with it.
  const child = spawn(program, args, { cwd, env: { PATH: process.env['PATH'], ...env }, detached: true });
  let output = '';
  let errors = '';
  let isOver = false;
  let isClosed = false;
  let waiting: (() => void) | undefined;
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk: Buffer) => {
    output += String(chunk);
    waiting?.();
  });
  child.stderr.on('data', (chunk: Buffer) => void (errors += String(chunk)));
  const timer = setTimeout(() => {
    isOver = true;
    end(child.pid);
  }, timeoutMs);
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      isClosed = true;
      waiting?.();
      resolve(status);
    });
  }).finally(() => clearTimeout(timer));
  if (talk === undefined) {
    child.stdin.end();
  } else {
    await talk({
      write: (line) => void child.stdin.write(`${line}\n`),
      until: (words) =>
        new Promise((resolve) => {
          waiting = () => {
            if (isClosed || words.test(output)) resolve(output);
          };
          waiting();
        }),
    });
    end(child.pid);
  }
  const status = await closed;
  end(child.pid);
  return { output, errors, status: isOver ? undefined : (status ?? 1) };
}

/** Ends what is left of the group of a program that this one started. */
function end(group: number | undefined): void {
  try {
    if (group !== undefined) process.kill(-group, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}
