import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';

/** Makes DBOS's tables, unless they exist. One process at a time: two that make them at once disturb each other. */
export async function makeTables(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('palimpsest dbos tables', 0))`);
    await DBOS.migrate(url);
  } finally {
    // The lock ends with its session.
    await client.end();
  }
}
