import { EventLog, createEvent } from '@palimpsest/events';
import type { LocalPostgres } from '@palimpsest/postgres/testing';
import { median } from '../measure.js';
import { eachTogether, idsOf, newDatabase } from './database.js';
import type { Database } from './database.js';
import { loadOn, stepsOfRun } from './throughput.js';
import type { Load, LoadOptions } from './throughput.js';

/** What a database of so many conversations is like, of which each has a history and waits for a worker. */
export interface Size {
  readonly conversations: number;
  /** Table and indexes. Unit: bytes. */
  readonly events: { readonly table: number; readonly index: number };
  readonly heads: number;
  readonly requests: number;
  /** Medians. Unit: milliseconds. */
  readonly ms: Readonly<Record<'open' | 'append' | 'put' | 'enqueue' | 'cancel' | 'list' | 'status', number>>;
  /** Of a look for requests, in the server. NaN where statements are not counted. Unit: milliseconds. */
  readonly lookMs: number;
  readonly load: Load;
}

/** Of a conversation before its request. */
export const historyEvents = 40;

const task = { steps: stepsOfRun, toolMs: 0 };

/** Fills one database step by step, and measures it at each size. */
export async function growthOf(
  server: LocalPostgres,
  sizes: readonly number[],
  options: LoadOptions & { readonly countsStatements: boolean },
): Promise<readonly Size[]> {
  const database = await newDatabase(server);
  const measured: Size[] = [];
  try {
    let filled = 0;
    for (const conversations of sizes) {
      const ids = idsOf('growth', filled, conversations);
      await eachTogether(ids, (id) => database.store.append(id, history()));
      await database.ask(ids, task);
      filled = conversations;
      await database.pool.query('vacuum analyze');
      const ms = await times(database, conversations);
      const bytes = (relation: string, of: 'table' | 'indexes' | 'total_relation') => bytesOf(database, relation, of);
      if (options.countsStatements) await database.pool.query('select pg_stat_statements_reset()');
      measured.push({
        conversations,
        ms,
        events: {
          table: await bytes('palimpsest_events', 'table'),
          index: await bytes('palimpsest_events', 'indexes'),
        },
        heads: await bytes('palimpsest_conversations', 'total_relation'),
        requests: await bytes('dbos.workflow_status', 'total_relation'),
        load: await loadOn(server, database, options),
        lookMs: options.countsStatements ? await lookMs(database) : Number.NaN,
      });
    }
    return measured;
  } finally {
    await database.close();
  }
}

async function times({ store, inbox, runner }: Database, conversations: number): Promise<Size['ms']> {
  const some = (times: number) =>
    Array.from({ length: times }, () => `growth-${Math.floor(Math.random() * conversations)}`);
  const ms = async (ids: readonly string[], work: (id: string) => Promise<unknown>) => {
    const each: number[] = [];
    for (const id of ids) {
      const start = performance.now();
      await work(id);
      each.push(performance.now() - start);
    }
    return median(each);
  };
  const list = async () => {
    let listed = 0;
    for await (const { version } of store.list()) listed += Math.sign(version);
    return listed;
  };
  return {
    open: await ms(some(30), (id) => EventLog.open(id, { store })),
    append: await ms(some(30), (id) => store.append(id, history().slice(1, 2))),
    put: await ms(some(10), (id) => inbox.put(id, JSON.stringify(task))),
    enqueue: await ms(some(10), (id) => runner.enqueue(id)),
    cancel: await ms(some(10), (id) => runner.cancel(id)),
    list: await ms(some(5), list),
    status: await ms(some(5), () => runner.status()),
  };
}

/** As a conversation of 20 exchanges is: 500 characters a message. */
function history() {
  return Array.from({ length: historyEvents }, (_, index) => {
    const content = [{ type: 'text' as const, text: `${index} ${'of the history '.repeat(33)}` }];
    return index % 2 === 0
      ? createEvent('message', { source: 'user', role: 'user', content })
      : createEvent('message', { source: 'agent', role: 'assistant', content });
  });
}

async function bytesOf({ pool }: Database, relation: string, of: 'table' | 'indexes' | 'total_relation') {
  const { rows } = await pool.query<{ bytes: string }>(`select pg_${of}_size($1::regclass)::text as bytes`, [relation]);
  return Number(rows[0]?.bytes);
}

async function lookMs({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    `select mean_exec_time as ms from pg_stat_statements where query like '%recursive partitions%' or query like '%RECURSIVE partitions%'
     order by calls desc limit 1`,
  );
  return rows[0]?.ms ?? Number.NaN;
}
