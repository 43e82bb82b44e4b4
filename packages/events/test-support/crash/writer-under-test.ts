import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { build } from 'tsup';
import type { Event } from '../../src/event.js';
import { fileEventStore } from '../../src/file/file-event-store.js';
import type { RepairReport } from '../../src/file/repair.js';
import type { WriterProcessOptions } from './writer-process.js';

/**
 * Returns a new folder that holds `writer-process.ts` as one JavaScript file, minified as an application's bundler
 * would.
 */
export async function bundleWriter(): Promise<{ readonly folder: string; readonly program: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  await chmod(folder, 0o755);
  await build({
    entry: { writer: join(import.meta.dirname, 'writer-process.ts') },
    outDir: folder,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'node20',
    noExternal: [/./],
    minify: true,
    config: false,
    silent: true,
  });
  return { folder, program: join(folder, 'writer.mjs') };
}

/** A running `writer-process.ts`. */
export interface WriterUnderTest {
  readonly process: ChildProcess;
  /** The lines that it has told so far. */
  readonly told: readonly string[];
  /** The ids that it told of, append by append. */
  ids(what: 'try' | 'done' | 'lost' | 'ousted' | 'failed'): string[][];
  /** Resolves when it has appended so many times, or has ended. */
  appended(count: number): Promise<void>;
  /** Resolves to the first line of this kind that it tells, or has told; undefined when it has ended without. */
  tells(what: string): Promise<string | undefined>;
  readonly ended: Promise<void>;
}

/** Starts the program, `[node, program]` or with something in front of it, and follows what it tells. */
export function startWriter(
  command: readonly string[],
  parameters: WriterProcessOptions & { directory: string; conversationId: string; prefix: string },
  options: SpawnOptions = {},
): WriterUnderTest {
  const { directory, conversationId, prefix, ...rest } = parameters;
  const [first = execPath, ...others] = command;
  const process = spawn(first, [...others, directory, conversationId, prefix, JSON.stringify(rest)], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told: string[] = [];
  const listeners = new Set<() => void>();
  if (process.stdout === null) throw new Error('the writer has no output');
  const lines = createInterface({ input: process.stdout });
  // Its output ends before it does, and only then is it dead.
  const ended = Promise.all([once(lines, 'close'), once(process, 'exit')]).then(() => undefined);
  let appends = 0;
  lines.on('line', (line) => {
    told.push(line);
    if (line.startsWith('done ')) appends++;
    for (const listener of listeners) listener();
  });
  /** Resolves to what is found, once there is something. */
  const found = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const listener = () => {
        const value = find();
        if (value === undefined) return;
        listeners.delete(listener);
        resolve(value);
      };
      listeners.add(listener);
      listener();
    });
  return {
    process,
    told,
    ids: (what) =>
      told.filter((line) => line.startsWith(`${what} `)).map((line) => line.slice(what.length + 1).split(',')),
    appended: (count) =>
      Promise.race([ended, found(() => (appends >= count ? true : undefined))]).then(() => undefined),
    tells: (what) =>
      Promise.race([found(() => told.find((line) => line.startsWith(`${what} `))), ended.then(() => undefined)]),
    ended,
  };
}

/** Resolves when a process that stops itself has been stopped, with each of its threads: they stop one after another. */
export async function isStopped({ process }: WriterUnderTest): Promise<void> {
  const threads = `/proc/${process.pid}/task`;
  for (;;) {
    const ids = await readdir(threads);
    const stats = await Promise.all(ids.map((id) => readFile(join(threads, id, 'stat'), 'utf8').catch(() => '')));
    if (stats.every((stat) => stat.slice(stat.lastIndexOf(')') + 2).startsWith('T'))) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Returns the ids that a conversation holds. */
export async function storedIds(
  directory: string,
  conversationId: string,
  onRepair: (report: RepairReport) => void = () => undefined,
): Promise<readonly string[]> {
  const events: Event[] = [];
  for await (const event of fileEventStore({ directory, onRepair }).read(conversationId)) events.push(event);
  return events.map((event) => event.id);
}
