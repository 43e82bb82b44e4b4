import { ConcurrencyError, ConversationBusyError, assertExpectedVersion, parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { PostgresClient } from './client.js';
import { SharedSessionError } from './errors.js';
import { overviewChange, parametersOf } from './overview-change.js';
import type { OverviewChange } from './overview-change.js';
import { hexOf } from './statements.js';
import { asAppendError } from './store-errors.js';

/** One append, checked and written as JSON before the first `await`: what the caller changes later is not stored. */
export interface PreparedAppend {
  readonly conversationId: string;
  readonly bodies: readonly string[];
  readonly expectedVersion: number | undefined;
  readonly change: OverviewChange;
}

/** @throws InvalidEventError, EventStoreError when an event or the expected version is not valid. */
export function preparedAppend(
  conversationId: string,
  events: readonly Event[],
  expectedVersion: number | undefined,
  tenant: string | undefined,
): PreparedAppend {
  assertExpectedVersion(expectedVersion);
  const parsed = events.map((event) => parseEvent(event));
  const bodies = parsed.map((event) => JSON.stringify(event));
  return { conversationId, bodies, expectedVersion, change: overviewChange(parsed, bodies, tenant) };
}

/** The two statements of an append: for some events and for none. */
export interface AppendStatements {
  readonly append: string;
  readonly version: string;
}

/**
 * Runs an append: one statement.
 *
 * @param session - the server's process that holds the locks, where the statements ask for it
 * @throws {@link ConversationBusyError}, {@link ConcurrencyError}, {@link EventStoreError}; nothing was appended then, unless the
 *   connection broke.
 */
export async function runAppend(
  client: PostgresClient,
  { conversationId, bodies, expectedVersion, change }: PreparedAppend,
  statements: AppendStatements,
  session?: string,
): Promise<{ readonly version: number }> {
  const id = hexOf(conversationId);
  const isEmpty = bodies.length === 0;
  const own = session === undefined ? [] : [session];
  const { rows } = await (
    isEmpty
      ? client.query(statements.version, [id, ...own])
      : client.query(statements.append, [
          ...[id, bodies.length, expectedVersion ?? null, bodies],
          ...parametersOf(change),
          ...own,
        ])
  ).catch((error: unknown) => {
    throw asAppendError(conversationId, error);
  });
  const row = rows[0] as AppendRow;
  if (row.is_open !== 'true') {
    throw session === undefined ? new ConversationBusyError({ conversationId }) : new SharedSessionError();
  }
  const version = row.version === null ? undefined : Number(row.version);
  const isExpected = expectedVersion === undefined || !isEmpty || version === expectedVersion;
  if (version !== undefined && isExpected) return { version };
  const seen = isEmpty ? version : Number(row.seen ?? 0);
  throw new ConcurrencyError({
    conversationId,
    expectedVersion,
    // What the statement saw when it began is not the present version, if another append won meanwhile.
    ...(seen === expectedVersion ? { reason: 'another append won' } : { actualVersion: seen }),
  });
}

interface AppendRow {
  readonly is_open: string;
  readonly version: string | null;
  readonly seen?: string | null;
}
