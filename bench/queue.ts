import process from 'node:process';
import { localPostgres } from '@palimpsest/postgres/testing';
import { firstClaimOfBurst, timesAtWaiting } from '../packages/dbos/test-support/queue-figures.js';

/** `--quick` is for trying the bench: its figures say nothing. */
const isQuick = process.argv.includes('--quick');
const [burst, waiting, looks] = isQuick ? [1_000, 5_000, 100] : [20_000, 100_000, 2_500];

const server = await localPostgres({ durable: true });
if (server === undefined)
  throw new Error('npm has no PostgreSQL for this platform; name one in PALIMPSEST_POSTGRES_URL.');
try {
  const { url } = server;
  console.log(`Node ${process.version}; commits wait for the disk; the tables are never analysed.\n`);
  const ms = await firstClaimOfBurst({ url, burst });
  console.log(`A burst of ${shown(burst)}: the first claim after ${ms.toFixed(0)} ms, of a worker with pollMs 1000.\n`);
  console.log(`| ms, with ${shown(waiting)} waiting | median | p99 | longest |\n| --- | --- | --- | --- |`);
  for (const { what, ms: times } of await timesAtWaiting({ url, burst, waiting, looks })) {
    const at = (part: number) => (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(1);
    console.log(`| ${what} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`);
  }
} finally {
  await server.close();
}

function shown(count: number): string {
  return count.toLocaleString('en');
}
