import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { build } from 'tsup';
import { onTestFinished } from 'vitest';

/** Bundles a program of this folder into `directory`, and resolves to the file. */
export async function bundleProgram(name: string, directory: string): Promise<string> {
  await build({
    entry: { [name]: join(import.meta.dirname, `${name}.ts`) },
    outDir: directory,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'node20',
    noExternal: [/./],
    minify: true,
    esbuildOptions: (options) => void (options.conditions = ['@palimpsest/source']),
    // What is bundled and is no ES module asks for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    config: false,
    silent: true,
  });
  return join(directory, `${name}.mjs`);
}

/** A program that runs. */
export interface ProgramUnderTest {
  readonly process: ChildProcess;
  /** The lines that it has written so far. */
  readonly told: readonly string[];
  /** Resolves when it has written this line; rejects when it has ended without. */
  tells(line: string): Promise<void>;
  /** Resolves to all lines when it has ended. */
  readonly ended: Promise<readonly string[]>;
}

/** Starts a program. It is killed when the test is over. */
export function startProgram(file: string, ...parameters: readonly string[]): ProgramUnderTest {
  const process = spawn(execPath, [file, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void process.kill('SIGKILL'));
  const told: string[] = [];
  const lines = createInterface({ input: process.stdout });
  lines.on('line', (line) => told.push(line));
  const ended = Promise.all([once(lines, 'close'), once(process, 'exit')]).then(() => told);
  return {
    process,
    told,
    ended,
    async tells(line) {
      let isOver = false;
      void ended.then(() => (isOver = true));
      while (!told.includes(line)) {
        if (isOver) throw new Error(`It wrote ${told.join(', ')}, and never ${line}.`);
        await Promise.race([once(lines, 'line'), ended]);
      }
    },
  };
}
