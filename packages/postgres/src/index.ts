export type { PostgresClient, PostgresSession } from './client.js';
export type { PgPool } from './connections-beside.js';
export { connectionsBeside } from './connections-beside.js';
export { MessageTooLargeError, NotEnoughConnectionsError, SharedSessionError } from './errors.js';
export { LeasedSession } from './leased-session.js';
export type { LiveDelta } from './live-outbox.js';
export { migrate, migrationSql } from './migrations.js';
export type {
  ConversationFilter,
  ConversationOverview,
  ConversationTotals,
  PostgresConversations,
} from './postgres-conversations.js';
export { postgresConversations } from './postgres-conversations.js';
export { postgresEventStore } from './postgres-event-store.js';
export type { PostgresInbox } from './postgres-inbox.js';
export { postgresInbox } from './postgres-inbox.js';
export type { LiveListener, PostgresLive } from './postgres-live.js';
export { postgresLive } from './postgres-live.js';
export type { PostgresRateLimitStore } from './postgres-rate-limit-store.js';
export { postgresRateLimitStore } from './postgres-rate-limit-store.js';
