import { randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import { rateLimitStoreContract } from '@palimpsest/llm-adapters/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { pglite } from '../test-support/pglite.js';
import { migrate, postgresRateLimitStore } from './index.js';
import type { PostgresClient } from './index.js';

const hour = 3_600_000;

/** Moves all times of a limit, as if the server's clock had been set back by as much. */
const setClockBack = (client: PostgresClient, schema: string, ms: number) =>
  client.query(
    `update ${pg.escapeIdentifier(schema)}.palimpsest_rates set seen_at = seen_at + ${ms}, closed_until = closed_until + ${ms},
     full_at = array(select at + ${ms} from unnest(full_at) with ordinality as rate (at, place) order by place)`,
  );

function onDatabase(client: () => PostgresClient) {
  /** Every test has a schema of its own. */
  const newSchema = async () => {
    const schema = `test "${randomUUID()}"`;
    await migrate(client(), { schema });
    return schema;
  };

  rateLimitStoreContract({
    test,
    create: async () => {
      const schema = await newSchema();
      const open = () => postgresRateLimitStore({ client: client(), name: 'a limit', schema });
      return { store: open(), open };
    },
  });

  test('limits of other names, and of other schemas, are other limits', async () => {
    const [schema, other] = [await newSchema(), await newSchema()];
    const charge = { costsMs: [hour], burstMs: hour };
    const names = ['one', 'another', "it's one", ''];
    for (const name of names) {
      const store = postgresRateLimitStore({ client: client(), name, schema });
      expect(await store.reserve(charge)).toBe(0);
    }
    expect(await postgresRateLimitStore({ client: client(), name: 'one', schema: other }).reserve(charge)).toBe(0);
    expect(await postgresRateLimitStore({ client: client(), name: 'one', schema }).reserve(charge)).toBeGreaterThan(0);
  });

  test('a clock that is set back makes nobody wait longer', async () => {
    const schema = await newSchema();
    const store = postgresRateLimitStore({ client: client(), name: 'a limit', schema });
    const charge = { costsMs: [hour], burstMs: hour };
    await store.reserve(charge);
    await setClockBack(client(), schema, 1_000 * hour);
    const waitMs = await store.reserve(charge);
    expect(waitMs).toBeGreaterThan(0.9 * hour);
    expect(waitMs).toBeLessThanOrEqual(hour);
    await store.pause(3 * hour);
    await setClockBack(client(), schema, 1_000 * hour);
    const pausedMs = await store.reserve(charge);
    expect(pausedMs).toBeGreaterThan(2.9 * hour);
    expect(pausedMs).toBeLessThan(4 * hour);
  });

  test('a limit with more rates than before goes on', async () => {
    const schema = await newSchema();
    const store = postgresRateLimitStore({ client: client(), name: 'a limit', schema });
    await store.reserve({ costsMs: [hour], burstMs: hour });
    expect(await store.reserve({ costsMs: [0, hour, 0], burstMs: hour })).toBe(0);
    expect(await store.reserve({ costsMs: [0, 0, hour], burstMs: hour })).toBe(0);
    expect(await store.reserve({ costsMs: [0, hour, 0], burstMs: hour })).toBeGreaterThan(0);
  });

  test('without its table, an error says how it is made', async () => {
    const store = postgresRateLimitStore({ client: client(), name: 'a limit', schema: 'nowhere' });
    await expect(store.reserve({ costsMs: [1], burstMs: 1 })).rejects.toThrow(/Run migrate\(\)/);
    await expect(store.adjust([1])).rejects.toThrow(/Run migrate\(\)/);
    await expect(store.pause(1)).rejects.toThrow(/Run migrate\(\)/);
  });
}

describe('on PGlite', () => {
  let database: PGlite;
  beforeAll(async () => {
    database = await pglite();
  });
  onDatabase(() => database);
});

const url = inject('postgresUrl');

describe.skipIf(url === undefined)('on a server, with pg', () => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: url, max: 20 });
  });
  afterAll(() => pool.end());
  onDatabase(() => pool);
});

describe.skipIf(url === undefined)('on a server whose transactions are serializable', () => {
  let pool: pg.Pool;
  beforeAll(() => {
    const options = '-c default_transaction_isolation=serializable';
    pool = new pg.Pool({ connectionString: url, max: 20, options });
  });
  afterAll(() => pool.end());
  onDatabase(() => pool);
});
