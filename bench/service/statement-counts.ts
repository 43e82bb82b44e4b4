import type { LocalPostgres } from '@palimpsest/postgres/testing';
import pg from 'pg';
import { idsOf, newDatabase } from './database.js';
import type { Database } from './database.js';
import { Program, elapsed } from './program.js';
import type { WorkerSetting } from './setting.js';

/** What a statement is for. The first that matches counts. */
const kinds = {
  'appends of the store': /insert into .*palimpsest_events/s,
  'reads of the store': /from .*palimpsest_events/s,
  inbox: /palimpsest_inbox/,
  'locks and leases': /advisory|idle_session_timeout|^select$|palimpsest_conversations/i,
  DBOS: /./s,
} as const;

export type StatementKind = keyof typeof kinds;
export const statementKinds = Object.keys(kinds) as readonly StatementKind[];
export type StatementCounts = Readonly<Record<StatementKind, number>>;

/** Statements by what they are for. */
export interface StatementReport {
  /** Of a worker with nothing to do, in a second. */
  readonly idle: StatementCounts;
  /** Of a request, from the message to the end of the run, without its steps. */
  readonly run: StatementCounts;
  readonly step: StatementCounts;
}

/**
 * Turns the counting of statements on, which needs a restart. False where the server is not ours or has no `pg_stat_statements`: unless
 * it counts already.
 */
export async function countsStatements(server: LocalPostgres): Promise<boolean> {
  const client = async (work: (client: pg.Client) => Promise<unknown>) => {
    const one = new pg.Client({ connectionString: server.url });
    await one.connect();
    await work(one).finally(() => one.end());
  };
  if (server.restart !== undefined) {
    await client((one) => one.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`));
    await server.restart();
  }
  return client((one) =>
    one.query('create extension if not exists pg_stat_statements; select from pg_stat_statements limit 1'),
  )
    .then(() => true)
    .catch(() => false);
}

/** Counts the statements of one worker: idle, with runs of a few steps, and with runs of many. */
export async function statementCounts(
  server: LocalPostgres,
  {
    runner,
    idleMs,
    runs,
  }: { readonly runner: WorkerSetting['runner']; readonly idleMs: number; readonly runs: number },
): Promise<StatementReport> {
  const database = await newDatabase(server);
  const model = await Program.model({ latencyMs: 0 });
  const worker = await Program.worker({ url: database.url, modelUrl: model.url, runner });
  try {
    const few = 5;
    const many = 25;
    const count = counting(database);
    // So that both have connected, and what is made at the first request is there.
    await served(database, worker, idsOf('first', 0, 1), few);
    const idle = await count(() => elapsed(idleMs));
    const perMs = scaled(idle.counts, 1 / idle.ms);
    const short = await count(() => served(database, worker, idsOf('short', 0, runs), few));
    const long = await count(() => served(database, worker, idsOf('long', 0, runs), many));
    const withoutIdle = ({ counts, ms }: typeof idle) => minus(counts, scaled(perMs, ms));
    const step = scaled(minus(withoutIdle(long), withoutIdle(short)), 1 / (runs * (many - few)));
    return {
      idle: scaled(perMs, 1_000),
      run: minus(scaled(withoutIdle(short), 1 / runs), scaled(step, few)),
      step,
    };
  } finally {
    await Promise.all([worker.end(), model.end()]);
    await database.close();
  }
}

/** Asks for runs, and waits for their ends. */
async function served(database: Database, worker: Program, ids: readonly string[], steps: number): Promise<void> {
  const before = (await worker.figures()).runs;
  await database.ask(ids, { steps, toolMs: 0 });
  while ((await worker.figures()).runs < before + ids.length) await elapsed(20);
  // The worker's last statements of the runs.
  await elapsed(500);
}

/** Counts the statements of a time, but for those that count. */
function counting(database: Database) {
  const { pool } = database;
  const here = 'dbid = (select oid from pg_database where datname = current_database())';
  return async (work: () => Promise<unknown>) => {
    await pool.query('select pg_stat_statements_reset()');
    const start = performance.now();
    await work();
    const ms = performance.now() - start;
    const { rows } = await pool.query<{ query: string; calls: string }>(
      `select query, calls::text from pg_stat_statements where ${here} and query not like '%pg_stat_statements%'`,
    );
    if (process.argv.includes('--statements')) show(rows);
    const counts = Object.fromEntries(statementKinds.map((kind) => [kind, 0])) as Record<StatementKind, number>;
    for (const { query, calls } of rows) {
      const kind = statementKinds.find((one) => kinds[one].test(query)) ?? 'DBOS';
      counts[kind] += Number(calls);
    }
    return { counts: counts as StatementCounts, ms };
  };
}

function show(rows: readonly { readonly query: string; readonly calls: string }[]): void {
  for (const { query, calls } of rows.toSorted((a, b) => Number(b.calls) - Number(a.calls))) {
    console.log(`${calls.padStart(7)} ${query.replaceAll(/\s+/g, ' ').slice(0, 150)}`);
  }
  console.log();
}

const mapped = (counts: StatementCounts, change: (count: number, kind: StatementKind) => number) =>
  Object.fromEntries(statementKinds.map((kind) => [kind, change(counts[kind], kind)])) as StatementCounts;
const scaled = (counts: StatementCounts, factor: number) => mapped(counts, (count) => count * factor);
const minus = (counts: StatementCounts, others: StatementCounts) =>
  mapped(counts, (count, kind) => count - others[kind]);
