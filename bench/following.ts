import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Agent, Conversation } from '@palimpsest/agent';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { connectionsBeside, migrate, postgresEventStore, postgresLive } from '@palimpsest/postgres';
import type { PostgresClient } from '@palimpsest/postgres';
import { localPostgres } from '@palimpsest/postgres/testing';
import pg from 'pg';
import { appendedEvent } from './store.js';

/**
 * What followers cost those who append: 20 conversations are appended to at once, with 20 followers and without, in turns. The commits wait
 * for the disk.
 */
const conversations = 20;
const appends = 1_500;
const rounds = 7;

const server = await localPostgres({ durable: true });
if (server === undefined)
  throw new Error('npm has no PostgreSQL for this platform; name one in PALIMPSEST_POSTGRES_URL.');
const pool = new pg.Pool({ connectionString: server.url, max: 10 });
const followingPool = new pg.Pool({ connectionString: server.url, max: 4 });
for (const one of [pool, followingPool]) one.on('error', () => undefined);
const schema = `bench-${randomUUID()}`;
await migrate(pool, { schema });
const connect = connectionsBeside(pool);
let statements = 0;
const counting: PostgresClient = {
  query: (text, params) => {
    statements++;
    return followingPool.query(text, params);
  },
};
const agent = new Agent({ llm: scriptedLLM({ script: [] }) });
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
await Promise.all([pool.end(), followingPool.end()]);
await server.close();

/** Appends, while each conversation has a follower in what stands for another process: other connections and objects. */
async function measured({ live, follows }: (typeof ways)[keyof typeof ways]) {
  const store = postgresEventStore({ client: pool, connect, schema, ...(live === undefined ? {} : { live }) });
  const ids = Array.from({ length: conversations }, () => randomUUID());
  const writers = await Promise.all(ids.map((id) => store.openForWriting?.(id)));
  const stop = new AbortController();
  setMaxListeners(conversations + 1, stop.signal);
  const listening = postgresLive({ client: counting, connect: connectionsBeside(followingPool), channel: schema });
  const others = postgresEventStore({ client: counting, schema });
  let seen = 0;
  const following = (follows ? ids : []).map(async (conversationId) => {
    const options = { agent, store: others, conversationId, ...(live === undefined ? {} : { live: listening }) };
    const conversation = await Conversation.open(options);
    for await (const _event of conversation.follow({ signal: stop.signal })) seen++;
  });
  // Until all of them listen.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const events = Array.from({ length: appends }, appendedEvent);
  statements = 0;
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
  const asked = statements;
  while (follows && seen < appends) await new Promise((resolve) => setTimeout(resolve, 1));
  const delayMs = performance.now() - end;
  stop.abort();
  await Promise.all([...following, ...writers.map((writer) => writer?.close())]);
  return { perSecond: (appends * 1_000) / (end - start), asked, delayMs };
}
