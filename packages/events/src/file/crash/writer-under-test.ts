import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { build } from 'tsup';
import type { Event } from '../../event.js';
import { fileEventStore } from '../file-event-store.js';
import type { RepairReport } from '../repair.js';

/** A new folder that holds `writer-process.ts` as one JavaScript file, minified as an application's bundler would. */
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
  /** What it told so far, line by line. */
  readonly told: readonly string[];
  /** The ids that it told of, append by append. */
  ids(what: 'try' | 'done' | 'lost'): string[][];
  /** Resolves when it has appended so many times, or has ended. */
  appended(count: number): Promise<void>;
  readonly ended: Promise<void>;
}

/** Starts the program, `[node, program]` or with something in front of it, and follows what it tells. */
export function startWriter(
  command: readonly string[],
  parameters: { directory: string; conversationId: string; prefix: string; appends?: number; largeBytes?: number },
  options: SpawnOptions = {},
): WriterUnderTest {
  const { directory, conversationId, prefix, ...rest } = parameters;
  const [first = execPath, ...others] = command;
  const process = spawn(first, [...others, directory, conversationId, prefix, JSON.stringify(rest)], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  if (process.stdout === null) throw new Error('the writer has no output');
  const lines = createInterface({ input: process.stdout });
  const ended = once(lines, 'close').then(() => undefined);
  let appends = 0;
  lines.on('line', (line) => {
    told.push(line);
    if (line.startsWith('done ')) appends++;
    for (const { count, resolve } of waiting) if (appends >= count) resolve();
  });
  const appended = (count: number) =>
    new Promise<void>((resolve) => (appends >= count ? resolve() : waiting.push({ count, resolve })));
  return {
    process,
    told,
    ids: (what) =>
      told.filter((line) => line.startsWith(`${what} `)).map((line) => line.slice(what.length + 1).split(',')),
    appended: (count) => Promise.race([ended, appended(count)]),
    ended,
  };
}

/** The ids that a conversation holds. */
export async function storedIds(
  directory: string,
  conversationId: string,
  onRepair: (report: RepairReport) => void = () => undefined,
): Promise<readonly string[]> {
  const events: Event[] = [];
  for await (const event of fileEventStore({ directory, onRepair }).read(conversationId)) events.push(event);
  return events.map((event) => event.id);
}
