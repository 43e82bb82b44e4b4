import { setTimeout as elapsed } from 'node:timers/promises';
import { migrate, postgresConversations } from '@palimpsest/postgres';
import pg from 'pg';
import { Database } from '../src/database.js';
import { dbosRunner } from '../src/index.js';
import { keyOf } from '../src/names.js';
import { Requests } from '../src/requests.js';

/** The size of a measurement. */
export interface QueueFiguresOptions {
  readonly url: string;
  /** The requests of a burst. */
  readonly burst: number;
  /** The requests that wait while looks are measured. */
  readonly waiting: number;
  /** The number of looks; others are measured a tenth as often. */
  readonly looks: number;
  /** Called with the times of each operation. */
  readonly onTimes: (times: Times) => void;
}

/** The times of an operation, sorted. Unit: milliseconds. */
export interface Times {
  readonly what: string;
  readonly ms: readonly number[];
}

const pollMs = 1_000;

/** Puts requests into a queue in one transaction. The planner knows nothing of them: nothing analyses the tables. */
async function putIn(pool: pg.Pool, queue: string, count: number): Promise<void> {
  await pool.query('alter table dbos.workflow_status set (autovacuum_enabled = false)');
  const ids = Array.from({ length: count }, (_, index) => `${queue} ${index}`);
  await pool.query(
    `select count(dbos.enqueue_workflow(workflow_name => 'palimpsest-run', queue_name => $1, positional_args => array[to_json(id)],
       workflow_id => key || gen_random_uuid(), deduplication_id => key, application_name => $1))
     from unnest($2::text[], $3::text[]) as request (id, key)`,
    [queue, ids, ids.map(keyOf)],
  );
}

/** Stores as many conversations as requests, of 100 tenants; one of 100 waits for a person. Their logs are empty. */
async function storeConversations(pool: pg.Pool, count: number): Promise<void> {
  await migrate(pool);
  await pool.query(
    `insert into palimpsest_conversations (conversation, version, overview_version, tenant, status, active_at, open_actions, input_tokens)
     select convert_to('conversation ' || number, 'utf8'), 1, 1, 'tenant ' || number % 100,
       case when number % 100 = 7 then 'waiting-for-confirmation' else 'idle' end, now(),
       case when number % 100 = 7 then '{1}'::integer[] else '{}' end, 1000
     from generate_series(1, $1) as number`,
    [count],
  );
}

/** Measures the time from a burst of requests to the first claim of a worker that is at work. Unit: milliseconds. */
export async function firstClaimOfBurst({ url, burst }: Pick<QueueFiguresOptions, 'url' | 'burst'>): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  let first: () => void = () => undefined;
  const claimed = new Promise<void>((resolve) => (first = resolve));
  const runner = dbosRunner({
    url,
    name: 'burst',
    pollMs,
    open: () => {
      first();
      return Promise.reject(new Error('Nothing is to be done.'));
    },
    onEnd: () => undefined,
  });
  try {
    await runner.start();
    // Past its first looks, which come at once.
    await elapsed(2 * pollMs);
    await putIn(pool, 'burst', burst);
    const began = performance.now();
    await claimed;
    return performance.now() - began;
  } finally {
    await runner.stop({ graceMs: 1_000 });
    await pool.end();
  }
}

/** Measures looks for requests, and what else a service asks, while many wait: alone, and beside a transaction that is held open. */
export async function timesAtWaiting({
  url,
  waiting,
  looks,
  onTimes,
}: Omit<QueueFiguresOptions, 'burst'>): Promise<void> {
  const name = 'waiting';
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const database = new Database(url, 30_000);
  const requests = new Requests(database, name);
  const runner = dbosRunner({ url, name, open: () => Promise.reject(new Error()), onEnd: () => undefined });
  await runner.counts();
  await putIn(pool, name, waiting);
  await storeConversations(pool, waiting);
  const stored = postgresConversations({ client: pool });
  const look = async (from: 'start' | 'last') => {
    await requests.aloneWaitedMs();
    return (await requests.claim('bench', 1, from))[0];
  };
  let next = 0;
  const measured = async (
    what: string,
    times: number,
    ask: () => Promise<unknown>,
    after?: (answer: unknown) => unknown,
  ) => {
    const ms: number[] = [];
    for (let index = 0; index < times; index++) {
      const began = performance.now();
      const answer = await ask();
      ms.push(performance.now() - began);
      await after?.(answer);
    }
    onTimes({ what, ms: ms.sort((a, b) => a - b) });
  };
  const holder = await pool.connect();
  for (const how of ['', ', a transaction held open']) {
    if (how !== '') {
      await holder.query('begin isolation level repeatable read');
      await holder.query('select count(*) from dbos.workflow_status');
    }
    for (const [from, kind] of [
      ['last', 'look when a place becomes free'],
      ['start', 'look after pollMs'],
    ] as const)
      await measured(
        `${kind}${how}`,
        looks,
        () => look(from),
        (request) => requests.end('bench', (request as { readonly id: string }).id),
      );
    const few = Math.ceil(looks / 10);
    await measured(`enqueue${how}`, few, () => runner.enqueue(`new ${next++}`));
    await measured(`enqueue of what waits${how}`, few, () => runner.enqueue(`${name} ${waiting - 1}`));
    await measured(`cancel${how}`, few, () => runner.cancel(`${name} ${waiting - 2 - next++}`));
    await measured(`status${how}`, few, () => runner.status());
    await measured(`counts, for metrics${how}`, few, () => runner.counts());
    await measured(`deadLetters${how}`, few, () => runner.deadLetters());
    await measured(`list, the newest 100${how}`, few, () => stored.list());
    await measured(`list, 100 that wait for a person${how}`, few, () => stored.list({ isWaiting: true }));
    await measured(`list, 100 of a tenant${how}`, few, () => stored.list({ tenant: 'tenant 3' }));
    await measured(`totals of a tenant${how}`, few, () => stored.totals({ tenant: 'tenant 3' }));
    await measured(`totals of all${how}`, few, () => stored.totals());
    await measured(`sweep: which requests run${how}`, few, () => requests.running());
  }
  await holder.query('rollback');
  holder.release();
  await runner.stop();
  await database.close();
  await pool.end();
}
