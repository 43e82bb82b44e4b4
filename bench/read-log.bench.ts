import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventLog } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { ViewProjection } from '@palimpsest/view';
import { ordinaryLog } from './logs.js';
import { cpuClock, heldBytes, measure, printTimings } from './measure.js';
import type { Subject } from './measure.js';

const conversationId = 'bench';

/** Sizes of logs. `characters`: of each tool result; with 1,600 an event is about 1 kB on average. */
const sizes = [
  { length: 1_000, characters: 1_600, rounds: 31 },
  { length: 10_000, characters: 1_600, rounds: 15 },
  { length: 100_000, characters: 1_600, rounds: 5 },
  { length: 1_000_000, characters: 200, rounds: 3 },
];

/** Reads a log from disk, with checked and frozen events. Floor: reading the same lines with `JSON.parse` only. */
export async function readLogBench(): Promise<void> {
  for (const { length, characters, rounds } of sizes) {
    const directory = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
    try {
      const store = fileEventStore({ directory, fsync: false });
      const log = ordinaryLog(length, characters);
      for (let from = 0; from < length; from += 5_000)
        await store.append(conversationId, log.slice(from, from + 5_000));
      const file = await logFile(directory);
      const megabytes = (await stat(file)).size / 1e6;
      const timings = await measure(
        { name: 'read the lines and JSON.parse each', run: () => parseLines(file) },
        [
          { name: 'read the store, event by event', run: () => readEvents(directory) },
          { name: 'open a log', run: () => openLog(directory) },
          { name: 'open a log and fold it into a view', run: () => foldEvents(directory) },
        ],
        rounds,
        cpuClock,
      );
      printTimings(
        `Cold load of ${length.toLocaleString('en-GB')} events, ${megabytes.toFixed(0)} MB: CPU`,
        length,
        timings,
      );
      await printMemory([
        { name: 'the parsed lines in an array', run: () => parseLines(file) },
        { name: 'the projection and its view, index and sizes asked for', run: () => foldEvents(directory) },
      ]);
    } finally {
      await rm(directory, { recursive: true });
    }
  }
}

async function logFile(directory: string): Promise<string> {
  const files = await readdir(directory, { recursive: true });
  const name = files.find((file) => file.endsWith('.jsonl'));
  if (name === undefined) throw new Error(`no log was written to ${directory}`);
  return join(directory, name);
}

/** The memory that each subject holds after its run. Prints nothing without `--expose-gc`. */
async function printMemory(subjects: readonly Subject[]): Promise<void> {
  if (globalThis.gc === undefined) return;
  let floor: number | undefined;
  for (const { name, run } of subjects) {
    const before = await heldBytes();
    const kept = [await run()];
    const bytes = (await heldBytes()) - before;
    kept.pop();
    floor ??= bytes;
    console.log(`  ${(bytes / floor).toFixed(2).padStart(6)}×  ${(bytes / 1e6).toFixed(0).padStart(9)} MB  ${name}`);
  }
}

/** The floor reads in blocks, because an await per line would make it slower than necessary. */
async function parseLines(file: string): Promise<unknown[]> {
  const parsed: unknown[] = [];
  let rest = '';
  for await (const block of createReadStream(file, { highWaterMark: 1 << 20, encoding: 'utf8' })) {
    const lines = (rest + String(block)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) parsed.push(JSON.parse(line));
  }
  return parsed;
}

async function readEvents(directory: string): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of fileEventStore({ directory }).read(conversationId)) events.push(event);
  return events;
}

function openLog(directory: string): Promise<EventLog> {
  return EventLog.open(conversationId, { store: fileEventStore({ directory }) });
}

async function foldEvents(directory: string): Promise<ViewProjection> {
  const projection = new ViewProjection();
  for (const event of await openLog(directory)) projection.append(event);
  const { view } = projection;
  if (view.tokens() === 0 || view.indexOf(view.events.at(-1)?.id ?? '') === undefined) throw new Error('an empty view');
  return projection;
}
