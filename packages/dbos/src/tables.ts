import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';

/** Makes DBOS's tables, unless they exist. One process at a time: two that make them at once disturb each other. */
export async function makeTables(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Asked again and again: DBOS makes indexes concurrently, and those wait for each statement that is under way, one that waits for
    // this lock included.
    while (!(await tryLock(client))) await new Promise((resolve) => setTimeout(resolve, 100));
    await DBOS.migrate(url);
  } finally {
    // The lock ends with its session.
    await client.end();
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('palimpsest dbos tables', 0)) as taken`,
  );
  return rows[0]?.taken === true;
}
