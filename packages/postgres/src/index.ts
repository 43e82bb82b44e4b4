export type { PostgresClient, PostgresSession } from './client.js';
export { LeasedSession } from './leased-session.js';
export type { MigrationOptions } from './migrations.js';
export { migrate, migrationSql } from './migrations.js';
export type { PostgresEventStoreOptions } from './postgres-event-store.js';
export { postgresEventStore } from './postgres-event-store.js';
export type { PostgresInbox, PostgresInboxOptions } from './postgres-inbox.js';
export { postgresInbox } from './postgres-inbox.js';
