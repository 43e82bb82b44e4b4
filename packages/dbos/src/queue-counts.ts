import type { Database } from './database.js';
import { aloneQueueOf } from './names.js';

/** The numbers of a queue, over all workers. */
export interface QueueCounts {
  /** Requests that wait for a free place. */
  readonly waiting: number;
  /** Requests that wait for their time: their conversation was busy, or its store or its model failed. */
  readonly delayed: number;
  /** Requests that run, on live workers and on dead ones that nobody has noticed yet. */
  readonly running: number;
  readonly deadLetters: number;
  /** Requests that this process has taken over from dead workers since its runner was started. */
  readonly takeovers: number;
  /** The age of the oldest request that waits for a free place; 0: none waits. Unit: milliseconds. */
  readonly oldestMs: number;
}

type Count = Exclude<keyof QueueCounts, 'takeovers'>;

/** Counts the requests of a queue. It costs as much as there are: some tens of milliseconds with 100,000. */
export async function queueCounts(database: Database, queue: string): Promise<Omit<QueueCounts, 'takeovers'>> {
  const [row] = await database.query<Record<Count, string>>(
    `select
       (select count(*) from dbos.workflow_status where queue_name = any($1) and status = 'ENQUEUED') as waiting,
       (select count(*) from dbos.workflow_status where queue_name = any($1) and status = 'DELAYED') as delayed,
       (select count(*) from dbos.workflow_status where queue_name = any($1) and status = 'PENDING') as running,
       (select count(*) from palimpsest_dbos.dead_letters where queue = $2) as "deadLetters",
       (select coalesce(greatest(extract(epoch from now()) * 1000 - min(created_at), 0), 0) from dbos.workflow_status
         where queue_name = any($1) and status = 'ENQUEUED') as "oldestMs"`,
    [[queue, aloneQueueOf(queue)], queue],
  );
  const number = (name: Count) => Number(row?.[name] ?? 0);
  return {
    waiting: number('waiting'),
    delayed: number('delayed'),
    running: number('running'),
    deadLetters: number('deadLetters'),
    oldestMs: Math.round(number('oldestMs')),
  };
}
