import type { Database } from './database.js';

/**
 * The turns of tenants. Each request of a tenant has a turn, one after its last one, and none before the turn that is served now: requests are
 * claimed by turns, so a tenant with many waiting delays another one's by one run a place at the most.
 */
export class Turns {
  readonly #database: Database;
  readonly #queue: string;

  constructor(database: Database, queue: string) {
    this.#database = database;
    this.#queue = queue;
  }

  /** Gives the tenant its next turn. */
  async next(tenant: string): Promise<number> {
    const [row] = await this.#database.query<{ turn: number }>(
      `insert into palimpsest_dbos.turns as mine (queue, tenant, turn)
       select $1, $2, served.turn from (
         select coalesce(
           (select priority from dbos.workflow_status where queue_name = $1 and status = 'ENQUEUED' order by priority, created_at limit 1),
           -- Nothing waits: nobody has an older turn than anybody else.
           (select max(turn) from palimpsest_dbos.turns where queue = $1),
           1) as turn) as served
       on conflict (queue, tenant) do update set turn = greatest(mine.turn + 1, excluded.turn)
       returning turn`,
      // As JSON: a text holds no U+0000.
      [this.#queue, JSON.stringify(tenant)],
    );
    return row?.turn ?? 0;
  }
}
