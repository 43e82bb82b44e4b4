import { userMessage } from '@palimpsest/events';
import pg from 'pg';
import { postgresEventStore } from '../src/index.js';

/** Opens a conversation for writing, appends, and appends again when it is told to; answers with the name of the error. */
const [url, schema, id, leaseMs] = process.argv.slice(2) as [string, string, string, string];
const pool = new pg.Pool({ connectionString: url });
pool.on('error', () => undefined);
const store = postgresEventStore({ client: pool, connect: () => pool.connect(), schema, leaseMs: Number(leaseMs) });
const writer = await store.openForWriting?.(id);
await writer?.append([userMessage('one')]);
process.on('message', () => {
  writer?.append([userMessage('late')]).then(
    () => process.send?.('appended'),
    (error: Error) => process.send?.(error.name),
  );
});
process.send?.('open');
