import { randomUUID } from 'node:crypto';
import type { Event, EventStore } from '@palimpsest/events';
import { connectionsBeside, migrate, postgresEventStore } from '@palimpsest/postgres';
import pg from 'pg';
import { localPostgres } from '@palimpsest/postgres/testing';
import { measure, wallClock } from './measure.js';
import type { Subject, Timing } from './measure.js';
import { appendedEvent } from './store.js';

const appends = 200;
const together = 20;
const rounds = 9;

const server = await localPostgres({ durable: true });
if (server === undefined)
  throw new Error('npm has no PostgreSQL for this platform; name one in PALIMPSEST_POSTGRES_URL.');
const pool = new pg.Pool({ connectionString: server.url, max: together });
const schema = `bench-${randomUUID()}`;
try {
  await migrate(pool, { schema });
  await pool.query(`set search_path to "${schema}"`);
  await pool.query(
    `create table "${schema}".floor (conversation text, position bigint, body text, primary key (conversation, position))`,
  );
  const store = postgresEventStore({ client: pool, connect: connectionsBeside(pool), schema });
  await appendBench(store);
  for (const count of [1_000, 10_000, 100_000]) await readBench(store, count);
} finally {
  await pool.query(`drop schema "${schema}" cascade`);
  await pool.end();
  await server.close();
}

/** Measures appends of one event of about 600 bytes against a bare insert of the same bytes. The commits wait for the disk. */
async function appendBench(store: EventStore): Promise<void> {
  const events = Array.from({ length: appends }, appendedEvent);
  let position = 0;
  const bare = (one: Event) =>
    pool.query(`insert into "${schema}".floor values ($1, $2, $3)`, ['c', position++, JSON.stringify(one)]);
  const writer = await store.openForWriting?.('writer');
  const perAppend =
    (run: (one: Event) => Promise<unknown>): (() => Promise<void>) =>
    async () => {
      for (const one of events) await run(one);
    };
  const inGroups = (run: (one: Event) => Promise<unknown>) => async () => {
    for (let start = 0; start < events.length; start += together) {
      await Promise.all(events.slice(start, start + together).map((one) => run(one)));
    }
  };
  const floor: Subject = { name: 'floor: a bare insert of the bytes', run: perAppend(bare) };
  const single: readonly Subject[] = [
    { name: 'append of the store', run: perAppend((one) => store.append('single', [one])) },
    { name: 'append of a writer', run: perAppend(async (one) => writer?.append([one])) },
  ];
  printTimings('Appends of one event to PostgreSQL', appends, await measure(floor, single, rounds, wallClock));
  const ids = Array.from({ length: together }, () => randomUUID());
  const writers = await Promise.all(ids.map((id) => store.openForWriting?.(id)));
  let next = 0;
  const floorTogether: Subject = { name: `floor: ${together} bare inserts at a time`, run: inGroups(bare) };
  const concurrent: readonly Subject[] = [
    {
      name: `${together} conversations at a time, append of the store`,
      run: inGroups((one) => store.append(ids[next++ % together] + '-', [one])),
    },
    {
      name: `${together} conversations at a time, append of their writers`,
      run: inGroups(async (one) => writers[next++ % together]?.append([one])),
    },
  ];
  printTimings(
    `Appends to PostgreSQL, ${together} at a time`,
    appends,
    await measure(floorTogether, concurrent, rounds, wallClock),
  );
  await Promise.all([...writers, writer].map((one) => one?.close()));
}

/** Measures a cold load against a bare select of the same rows and `JSON.parse`. */
async function readBench(store: EventStore, count: number): Promise<void> {
  const id = `read-${count}`;
  for (let done = 0; done < count; done += 1_000) await store.append(id, Array.from({ length: 1_000 }, appendedEvent));
  const floor: Subject = {
    name: 'floor: one select of the bodies, and JSON.parse',
    run: async () => {
      const { rows } = await pool.query<{ body: string }>(
        `select body from "${schema}".palimpsest_events where conversation_key =
         (select key from "${schema}".palimpsest_conversations where conversation = convert_to($1, 'utf8')) order by position`,
        [id],
      );
      return rows.map(({ body }) => JSON.parse(body) as unknown);
    },
  };
  const read: Subject = {
    name: 'reading of the store',
    run: async () => {
      let events = 0;
      for await (const batch of store.read(id).batches?.() ?? []) events += batch.length;
      return events;
    },
  };
  printTimings(`Cold load of ${count} events from PostgreSQL`, count, await measure(floor, [read], rounds, wallClock));
}

/** Prints timings under a title, each with its time per item. */
function printTimings(title: string, items: number, timings: readonly Timing[]): void {
  console.log(`\n${title}`);
  for (const { name, median: time, ratio } of timings) {
    const perItem = ((time * 1e6) / items).toFixed(0).padStart(7);
    console.log(`  ${ratio.toFixed(2).padStart(6)}×  ${time.toFixed(1).padStart(9)} ms  ${perItem} ns/item  ${name}`);
  }
}
