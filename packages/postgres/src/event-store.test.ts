import { randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import { eventStoreContract } from '@palimpsest/events/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { pglite } from '../test-support/pglite.js';
import { migrate, postgresEventStore } from './index.js';

const url = inject('postgresUrl');

/**
 * Both databases run the same store, so `npm test` appends 150,000 events on one of them alone: on the server, where there is one. CI's
 * thorough run appends them on both.
 */
const isOnBoth = url === undefined || process.env['PALIMPSEST_THOROUGH'] === 'true';
const onPglite = (name: string, run: () => Promise<void>) => {
  if (isOnBoth || !name.includes('many events')) test(name, run);
};

/** Every test has a schema of its own. */
const newSchema = () => `test "${randomUUID()}"`;

describe('on PGlite', () => {
  let database: PGlite;
  beforeAll(async () => {
    database = await pglite();
  });

  eventStoreContract({
    test: onPglite,
    reopens: true,
    create: async () => {
      const schema = newSchema();
      await migrate(database, { schema });
      return {
        store: postgresEventStore({ client: database, schema }),
        reopen: () => postgresEventStore({ client: database, schema }),
      };
    },
  });
});

describe.skipIf(url === undefined)('on a server, with pg', () => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: url, max: 20 });
  });
  afterAll(() => pool.end());

  eventStoreContract({
    test,
    reopens: true,
    create: async () => {
      const schema = newSchema();
      await migrate(pool, { schema });
      const open = () => postgresEventStore({ client: pool, connect: () => pool.connect(), schema });
      return {
        store: open(),
        reopen: open,
        dispose: async () => void (await pool.query(`drop schema ${pg.escapeIdentifier(schema)} cascade`)),
      };
    },
  });
});
