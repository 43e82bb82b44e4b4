export type { PostgresClient, PostgresSession } from './client.js';
export { LeasedSession } from './leased-session.js';
export { migrate, migrationSql } from './migrations.js';
export { postgresEventStore } from './postgres-event-store.js';
export type { PostgresInbox } from './postgres-inbox.js';
export { postgresInbox } from './postgres-inbox.js';
export type { PostgresRateLimitStore } from './postgres-rate-limit-store.js';
export { postgresRateLimitStore } from './postgres-rate-limit-store.js';
