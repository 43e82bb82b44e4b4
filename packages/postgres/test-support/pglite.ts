import { PGlite } from '@electric-sql/pglite';

let database: Promise<PGlite> | undefined;

/**
 * Returns one PGlite for all test files of a worker: each start makes a cluster, which takes seconds. It ends with the
 * worker.
 */
export function pglite(): Promise<PGlite> {
  database ??= PGlite.create();
  return database;
}
