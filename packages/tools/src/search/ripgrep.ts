import { spawn } from 'node:child_process';
import { access, constants, realpath } from 'node:fs/promises';
import path from 'node:path';
import { once } from 'node:events';
import { maxLinesOfFile, linearEngine, SearchWorkerError } from './linear-engine.js';
import type { Engine, EngineSearch } from './linear-engine.js';
import { enginePatterns, SearchPatternError } from './pattern.js';
import type { Workspace } from '../workspace/workspace.js';

/** The most that one run may print. Each of its lines is short. Unit: characters. */
const maxOutputCharacters = 20_000_000;

/** A line: the path, NUL, the number, and a text that is cut away. */
const matchPattern = /([^\0]+)\0(\d+):[^\n]*\n/g;

const everyRun = ['--no-config', '--text', '--null', '--color=never', '--no-messages'];
const crFlags = [...everyRun, '--files-with-matches', '-e', '\\r'];

/**
 * Returns the engine that runs ripgrep. It reads no configuration, no ignore files and no standard input, and gets each file by
 * name. Its process is killed when the signal is aborted.
 *
 * @param command - its absolute path
 */
export function ripgrepEngine(command: string): Engine {
  return async (workspace, { pattern, ignoreCase, signal }) => {
    const { rust } = enginePatterns(pattern);
    // Only the numbers of lines are taken: the texts are read where links are guarded against.
    const limits = [
      '--line-number',
      '--max-columns=1',
      `--max-count=${maxLinesOfFile}`,
      '--with-filename',
      '--no-heading',
    ];
    const flags = [...everyRun, ...limits, ignoreCase ? '--ignore-case' : '--case-sensitive', '-e', rust];
    const ask = async (args: readonly string[], paths: Iterable<string>) => {
      const files = Array.from(paths, (each) => `./${each}`);
      const { status, output, complaint } = await run(command, [...args, '--', ...files], {
        cwd: workspace.root,
        signal,
      });
      // 2 is also the status when a file could not be read; then nothing is printed, because of --no-messages.
      if (status === 2 && complaint !== '') throw new SearchPatternError(pattern, explained(complaint));
      return output;
    };
    let linear: EngineSearch | undefined;
    return {
      close: async () => linear?.close(),
      async matchingLines(paths) {
        if (paths.length === 0) return new Map();
        const found = new Map<string, readonly number[]>();
        for (const [, file = '', line] of (await ask(flags, paths)).matchAll(matchPattern)) {
          const name = file.slice(2);
          const lines = (found.get(name) ?? []) as number[];
          lines.push(Number(line));
          found.set(name, lines);
        }
        if (found.size === 0) return found;
        // To ripgrep the CR of a line's end is a part of the line, so what it has found there is looked at again.
        const withCr = (await ask(crFlags, found.keys())).split('\0').flatMap((file) => file.slice(2) || []);
        if (withCr.length === 0) return found;
        linear ??= await linearEngine(workspace, { pattern, ignoreCase, signal }).catch((error: unknown) => {
          if (SearchWorkerError.isInstance(error)) return undefined;
          throw error;
        });
        // In a bundle without the thread's code, what ripgrep says.
        if (linear === undefined) return found;
        const checked = await linear.matchingLines(withCr);
        for (const file of withCr) found.set(file, checked.get(file) ?? []);
        return found;
      },
    };
  };
}

function explained(complaint: string): string {
  const reason = /^error: (.*)$/m.exec(complaint)?.[1] ?? complaint.trim().split('\n').at(-1) ?? '';
  return `is no regular expression that the search takes (${reason}). Escape what is meant literally.`;
}

async function run(
  command: string,
  args: readonly string[],
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<{ readonly status: number | null; readonly output: string; readonly complaint: string }> {
  signal.throwIfAborted();
  const child = spawn(command, args, { cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  let [output, complaint] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < maxOutputCharacters) output += text;
    else end();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < 10_000) complaint += text;
  });
  try {
    const [status] = (await once(child, 'close')) as [number | null];
    signal.throwIfAborted();
    return { status, output, complaint };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/**
 * Looks for ripgrep on the `PATH`. A program in the workspace is passed over, because the search runs it without asking, and so is
 * one that does not say that it is ripgrep.
 *
 * @param searchPath - @defaultValue the `PATH` of this process
 */
export async function findRipgrep(
  workspace: Workspace,
  searchPath = process.env.PATH ?? '',
): Promise<string | undefined> {
  const names = process.platform === 'win32' ? ['rg.exe'] : ['rg'];
  for (const folder of searchPath.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    for (const name of names) {
      const command = await usable(path.join(folder, name), workspace);
      if (command !== undefined) return command;
    }
  }
  return undefined;
}

async function usable(file: string, { root }: Workspace): Promise<string | undefined> {
  try {
    await access(file, constants.X_OK);
    const real = await realpath(file);
    if (!path.relative(root, real).startsWith('..') || !path.relative(root, file).startsWith('..')) return undefined;
    const { output } = await run(real, ['--no-config', '--version'], {
      cwd: path.dirname(real),
      signal: AbortSignal.timeout(5_000),
    });
    return output.startsWith('ripgrep ') ? real : undefined;
  } catch {
    return undefined;
  }
}
