import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import type { Output } from '../src/cli/inspect.js';
import { main } from '../src/cli/program.js';

/** The built command. */
export const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** How a command line ended, and what it printed. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command, as a person does. */
export function builtHarness(
  parameters: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...parameters], { maxBuffer: 1 << 26, ...options }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** A stream that keeps what is written to it, as wide as a terminal of so many columns. */
export function capturedOutput(columns?: number): { readonly output: Output; readonly text: () => string } {
  const chunks: string[] = [];
  const output: Output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString());
      done();
    },
  });
  return { output: columns === undefined ? output : Object.assign(output, { columns }), text: () => chunks.join('') };
}

/** Runs a command line on the sources, in this process and without a cache of results: for what no process of its own shows. */
export async function harness(...parameters: readonly string[]): Promise<Outcome> {
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  try {
    const hasCache = ['replay', 'report', 'hostile'].includes(parameters[0] ?? '');
    const code = await main([...parameters, ...(hasCache ? ['--workers', '0', '--no-cache'] : [])]);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.exitCode = undefined;
    stdout.restore();
    stderr.restore();
  }
}

function capture(stream: NodeJS.WriteStream) {
  let text = '';
  const before = new Set(stream.listeners('error'));
  const write = vi.spyOn(stream, 'write').mockImplementation((chunk, encoding, written?) => {
    text += String(chunk);
    const done = typeof encoding === 'function' ? encoding : written;
    done?.();
    return true;
  });
  return {
    text: () => text,
    restore: () => {
      write.mockRestore();
      for (const listener of stream.listeners('error'))
        if (!before.has(listener)) stream.off('error', listener as () => void);
    },
  };
}
