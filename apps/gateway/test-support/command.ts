import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The built command, as a user has started it. */
export interface RunningCommand {
  readonly pid: number;
  readonly output: () => string;
  readonly errors: () => string;
  /** Resolves when it has printed a text. Rejects if it ends before. */
  readonly until: (text: RegExp) => Promise<RegExpExecArray>;
  /** Its exit status, or the signal that has ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Starts the built command in a group of processes of its own. */
export function command(parameters: readonly string[], env: NodeJS.ProcessEnv = process.env): RunningCommand {
  const cli = path.join(import.meta.dirname, '../dist/cli.js');
  const child = spawn(process.execPath, [cli, ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env,
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('close', (status, signal) => resolve(signal ?? status ?? -1));
  });
  return {
    pid: child.pid ?? 0,
    output: () => output,
    errors: () => errors,
    ended,
    until: async (text) => {
      for (;;) {
        const found = text.exec(output);
        if (found !== null) return found;
        const end = await Promise.race([once(child.stdout, 'data').then(() => undefined), ended]);
        if (end !== undefined && text.exec(output) === null) throw new Error(`It ended with ${end}: ${errors}`);
      }
    },
    kill: (signal) => void child.kill(signal),
  };
}
