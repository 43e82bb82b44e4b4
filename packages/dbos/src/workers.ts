import type { Database } from './database.js';

/** The workers of a queue, as they have told it. Whether one lives is said by its lock. */
export class Workers {
  readonly #database: Database;
  readonly #queue: string;

  constructor(database: Database, queue: string) {
    this.#database = database;
    this.#queue = queue;
  }

  async ids(): Promise<readonly string[]> {
    const rows = await this.#database.query<{ id: string }>('select id from palimpsest_dbos.workers where queue = $1', [
      this.#queue,
    ]);
    return rows.map(({ id }) => id);
  }

  async works(id: string): Promise<void> {
    await this.#database.query(
      'insert into palimpsest_dbos.workers (id, queue) values ($1, $2) on conflict do nothing',
      [id, this.#queue],
    );
  }

  /** Notes that the worker was told to stop: what it does not put back any more is not to blame. */
  async isStopping(id: string): Promise<void> {
    await this.#database.query('update palimpsest_dbos.workers set is_stopping = true where id = $1', [id]);
  }

  async wasStopping(id: string): Promise<boolean> {
    const rows = await this.#database.query('select from palimpsest_dbos.workers where id = $1 and is_stopping', [id]);
    return rows.length > 0;
  }

  async hasEnded(id: string): Promise<void> {
    await this.#database.query('delete from palimpsest_dbos.workers where id = $1', [id]);
  }
}
