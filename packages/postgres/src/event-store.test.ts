import { randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import { eventStoreContract } from '@palimpsest/events/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { pglite } from '../test-support/pglite.js';
import { migrate, postgresEventStore } from './index.js';

/** Every test has a schema of its own. */
const newSchema = () => `test "${randomUUID()}"`;

describe('on PGlite', () => {
  let database: PGlite;
  beforeAll(async () => {
    database = await pglite();
  });

  eventStoreContract({
    test,
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

const url = inject('postgresUrl');

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
