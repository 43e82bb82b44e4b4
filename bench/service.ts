import { cpus } from 'node:os';
import process from 'node:process';
import { localPostgres } from '@palimpsest/postgres/testing';
import type { LocalPostgres } from '@palimpsest/postgres/testing';
import { median } from './measure.js';
import { takeoverTimes } from './service/takeover.js';
import { floorOf, loadInMemory, loadOf } from './service/throughput.js';

/** `--quick` is for trying the bench: its figures say nothing. */
const isQuick = process.argv.includes('--quick');
const workerCounts = isQuick ? [2] : [1, 2, 4];
const latencyMs = 20;
const windowMs = isQuick ? 1_000 : 10_000;
/** Of loads: as many runs as keep two cores busy, which are looked for soon after one has ended. */
const busy = { maxConcurrentRuns: 16, pollMs: 200 };
/** Of takeovers. */
const quickly = { leaseMs: 2_000, sweepMs: 500, pollMs: 200 };
const lost = isQuick ? 2 : 6;
/** The appends of a step: its call, and its result. */
const appendsOfStep = 2;
/** About what one of them stores. Unit: bytes. */
const appendBytes = 600;
/** The connections that a store writes with: the default of `writerConnections`. */
const writerConnections = 4;

const server = await localPostgres({ durable: true });
if (server === undefined)
  throw new Error('npm has no PostgreSQL for this platform; name one in PALIMPSEST_POSTGRES_URL.');
const began = performance.now();
const progress = (what: string) => console.error(`${((performance.now() - began) / 1_000).toFixed(0)} s: ${what}`);

const benches: Readonly<Record<string, (server: LocalPostgres) => Promise<void>>> = {
  steps: stepsBench,
  takeover: takeoverBench,
};
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
console.log(
  `Node ${process.version}, ${cpus().length} cores for workers, PostgreSQL and the provider together; commits wait for the disk.\n`,
);
try {
  for (const [name, bench] of Object.entries(benches))
    if (named.length === 0 || named.includes(name)) await bench(server);
  progress('done');
} finally {
  await server.close();
}

async function stepsBench(postgres: LocalPostgres): Promise<void> {
  const column = async (workers: number) => ({
    atOnce: await loadOf(postgres, { workers, latencyMs: 0, runner: busy, windowMs }),
    late: await loadOf(postgres, { workers, latencyMs, runner: busy, windowMs }),
    default: await loadOf(postgres, { workers, latencyMs, runner: {}, windowMs }),
    floor: await floorOf(postgres, {
      connections: workers * writerConnections,
      bytes: appendBytes,
      windowMs: windowMs / 2,
    }),
  });
  const columns: Awaited<ReturnType<typeof column>>[] = [];
  for (const workers of workerCounts) {
    progress(`${workers} at work`);
    columns.push(await column(workers));
  }
  progress('in memory');
  const memory = await loadInMemory(windowMs, busy.maxConcurrentRuns);
  const row = (name: string, value: (of: (typeof columns)[number]) => number, unit = '') => [
    name,
    ...columns.map((one) => `${shown(value(one))}${unit}`),
  ];
  printTable(
    ['', ...workerCounts.map((count) => `${count} worker${count === 1 ? '' : 's'}`)],
    [
      row('steps a second, the model answers at once', ({ atOnce }) => atOnce.stepsPerSecond),
      row(`steps a second, it answers after ${latencyMs} ms`, ({ late }) => late.stepsPerSecond),
      row('the same with the default settings', (of) => of.default.stepsPerSecond),
      row('bare inserts a second: the floor', ({ floor }) => floor),
      row(
        'appends of steps, the model at once, to the floor',
        ({ atOnce, floor }) => (atOnce.stepsPerSecond * appendsOfStep) / floor,
        '×',
      ),
      row('CPU of a step: worker, ms', ({ atOnce }) => atOnce.workerCpu),
      row('CPU of a step: provider, ms', ({ atOnce }) => atOnce.modelCpu),
      ['one process, logs in memory: steps a second', shown(memory.stepsPerSecond)],
      ['its CPU of a step, ms', shown(memory.workerCpu)],
    ],
  );
}

async function takeoverBench(postgres: LocalPostgres): Promise<void> {
  const cell = (times: readonly number[]) => {
    const longest = times.at(-1);
    if (longest === undefined) return 'none';
    return `${shown(median(times) / 1_000)}, at most ${shown(longest / 1_000)} (${times.length})`;
  };
  const rows: string[][] = [];
  const settings = [
    {
      name: `leaseMs ${quickly.leaseMs}, sweepMs ${quickly.sweepMs}, pollMs ${quickly.pollMs}`,
      runner: quickly,
      spreadMs: 12_000,
    },
    { name: 'defaults: leaseMs 30000, sweepMs 5000, pollMs 1000', runner: {}, spreadMs: 42_000 },
  ];
  for (const { name, runner, spreadMs } of isQuick ? settings.slice(0, 1) : settings) {
    const row = [name];
    const again = ['the same, of a conversation that had lost a worker before'];
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      progress(`takeover, ${name}, ${signal}`);
      const { first, later } = await takeoverTimes(postgres, { signal, runner, lost, spreadMs });
      row.push(cell(first));
      again.push(cell(later));
    }
    rows.push(row, again);
  }
  printTable(['from the loss of a worker to the next event, seconds', 'killed', 'frozen'], rows);
}

/** Prints a table in Markdown, padded as prettier does it. */
function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  console.log([line(head), rule, ...rows.map(line)].join('\n') + '\n');
}

/** Formats a number as a reader wants it: two digits that matter, or all before the point. */
function shown(value: number): string {
  const size = Math.abs(value);
  if (size >= 10) return Math.round(value).toLocaleString('en');
  if (size < 0.005) return '0';
  return String(Number(value.toFixed(size >= 1 ? 1 : 2)));
}
