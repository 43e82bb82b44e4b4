import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** The built command as a process of its own. It ends with the test. */
export interface CliProcess {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when standard output holds this text. */
  printed(text: string): Promise<void>;
  /** Resolves to the exit status, or to the name of the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts the built command. */
export function startCli(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): CliProcess {
  return follow(spawn(process.execPath, [cli, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Starts the built command, as `"$@"`, by a line of a shell. */
export function startInShell(
  line: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): CliProcess {
  const command = ['-c', line, 'sh', process.execPath, cli, ...args];
  return follow(spawn('/bin/sh', command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }));
}

function follow(child: ChildProcessByStdio<null, Readable, Readable>): CliProcess {
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('close', (status, signal) => resolve(status ?? signal ?? -1));
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (stdout.includes(text)) resolve();
        };
        look();
        child.stdout.on('data', look);
        void ended.then(() => reject(new Error(`It ended without '${text}': ${stderr}`)));
      }),
  };
}
