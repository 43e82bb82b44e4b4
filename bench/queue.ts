import process from 'node:process';
import { parseArgs } from 'node:util';
import { localPostgres } from '@palimpsest/postgres/testing';
import { firstClaimOfBurst, timesAtWaiting } from '../packages/dbos/test-support/queue-figures.js';

/** Each is an option: `npm run bench:queue -- --waiting 5000 --looks 100`. */
const { values } = parseArgs({
  options: {
    burst: { type: 'string', default: '20000' },
    waiting: { type: 'string', default: '100000' },
    looks: { type: 'string', default: '1000' },
  },
});
const [burst, waiting, looks] = [Number(values.burst), Number(values.waiting), Number(values.looks)];

const server = await localPostgres({ durable: true });
if (server === undefined)
  throw new Error('npm has no PostgreSQL for this platform; name one in PALIMPSEST_POSTGRES_URL.');
try {
  const { url } = server;
  console.log(`Node ${process.version}; commits wait for the disk; the tables are never analysed.\n`);
  const ms = await firstClaimOfBurst({ url, burst });
  console.log(`A burst of ${shown(burst)}: the first claim after ${ms.toFixed(0)} ms, of a worker with pollMs 1000.\n`);
  console.log(`| ms, with ${shown(waiting)} waiting | median | p99 | longest |\n| --- | --- | --- | --- |`);
  await timesAtWaiting({
    url,
    waiting,
    looks,
    onTimes: ({ what, ms: times }) => {
      const at = (part: number) => (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(1);
      console.log(`| ${what} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`);
    },
  });
} finally {
  await server.close();
}

function shown(count: number): string {
  return count.toLocaleString('en');
}
