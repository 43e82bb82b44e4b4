import { execFileSync, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { connectionsBeside, migrate, postgresEventStore, postgresLive } from '@palimpsest/postgres';
import { localPostgres } from '@palimpsest/postgres/testing';
import pg from 'pg';
import type { Followed, Following } from './following/follower.js';
import { appendedEvent } from './store.js';

/**
 * Measures what followers cost those who append: 20 conversations are appended to at once, with 20 followers in another process and without, in
 * turns. The commits wait for the disk. With `--apart`, on Linux, the followers have a processor of their own, as on another machine, and
 * the server and those who append have one.
 */
const { values: flags } = parseArgs({ options: { apart: { type: 'boolean', default: false } } });
const conversations = 20;
const appends = 6_000;
const rounds = 7;

// Before the server starts: it inherits this.
if (flags.apart) execFileSync('taskset', ['-a', '-c', '-p', '0', String(process.pid)], { stdio: 'ignore' });
const server = await localPostgres({ durable: true });
if (server === undefined)
  throw new Error('npm has no PostgreSQL for this platform; name one in PALIMPSEST_POSTGRES_URL.');
const pool = new pg.Pool({ connectionString: server.url, max: 10 });
pool.on('error', () => undefined);
const schema = `bench-${randomUUID()}`;
await migrate(pool, { schema });
const connect = connectionsBeside(pool);
const told = postgresLive({ client: pool, connect, channel: schema });
const ways = {
  'without followers, nothing is told': { live: undefined, follows: false },
  'without followers, appends are told': { live: told, follows: false },
  '20 followers that are told': { live: told, follows: true },
  '20 followers that look': { live: undefined, follows: true },
};
const rates = new Map<string, number[]>();
for (let round = 0; round < rounds; round++) {
  for (const [name, way] of Object.entries(ways)) {
    const { perSecond, asked, delayMs } = await measured(way);
    rates.set(name, [...(rates.get(name) ?? []), perSecond]);
    if (way.follows && round === rounds - 1)
      console.log(`${name}: ${asked} statements in the round; the last event was seen after ${delayMs.toFixed(0)} ms`);
  }
}
const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const floor = medianOf(rates.get('without followers, nothing is told') ?? []);
for (const [name, values] of rates) {
  const rate = medianOf(values);
  console.log(`${rate.toFixed(0).padStart(6)} appends a second  ${(rate / floor).toFixed(2)}×  ${name}`);
}
await pool.query(`drop schema "${schema}" cascade`);
await pool.end();
await server.close();

/** Returns the options that start a program on a processor of its own. */
function onCore(core: number) {
  return flags.apart
    ? { execPath: 'taskset', execArgv: ['-c', String(core), process.execPath, ...process.execArgv] }
    : {};
}

/** Appends, while each conversation has a follower. */
async function measured({ live, follows }: (typeof ways)[keyof typeof ways]) {
  const store = postgresEventStore({ client: pool, connect, schema, ...(live === undefined ? {} : { live }) });
  const ids = Array.from({ length: conversations }, () => randomUUID());
  const writers = await Promise.all(ids.map((id) => store.openForWriting?.(id)));
  const { url } = server as { readonly url: string };
  const following: Following = { url, schema, ids: follows ? ids : [], isTold: live !== undefined, events: appends };
  const followers = fork(
    path.join(import.meta.dirname, 'following/follower.ts'),
    [JSON.stringify(following)],
    onCore(1),
  );
  await once(followers, 'message');
  const events = Array.from({ length: appends }, appendedEvent);
  const start = performance.now();
  await Promise.all(
    writers.map(async (writer, first) => {
      for (let index = first; index < appends; index += conversations) {
        const event = events[index];
        if (event !== undefined) await writer?.append([event]);
      }
    }),
  );
  const end = performance.now();
  let asked = 0;
  if (follows) [{ asked }] = (await once(followers, 'message')) as [Followed];
  const delayMs = performance.now() - end;
  followers.kill();
  await Promise.all(writers.map((writer) => writer?.close()));
  return { perSecond: (appends * 1_000) / (end - start), asked, delayMs };
}
