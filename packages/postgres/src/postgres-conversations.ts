import { assertConversationId, ConversationBusyError, EventStoreError } from '@palimpsest/events';
import type { PostgresClient } from './client.js';
import { adminStatementsFor } from './admin-statements.js';
import type { ConversationRow } from './admin-statements.js';
import { filterOf, overviewOf } from './conversation-overview.js';
import type { ConversationFilter, ConversationOverview, ConversationTotals } from './conversation-overview.js';
import { OverviewFold, parametersOf } from './overview-change.js';
import { overviewParametersOfNew } from './overview-statement.js';
import { pages } from './reading.js';
import { conversationOf, hexOf, statementsFor } from './statements.js';
import { asStoreError, codeOf, foreignKeyViolation } from './store-errors.js';
import { tablesIn } from './tables.js';

/** Options of {@link postgresConversations}. */
export interface PostgresConversationsOptions {
  /** Runs the statements; the caller ends it. */
  readonly client: PostgresClient;
  /** The schema of the tables, as in `migrate`. @defaultValue the search path's */
  readonly schema?: string;
  /** As in the store: for {@link PostgresConversations.rebuild}. @defaultValue the tenant stays as it is */
  readonly tenantOf?: (conversationId: string) => string | undefined;
}

/** The stored conversations, for those who look after a service. */
export interface PostgresConversations {
  /**
   * Returns a page of conversations, the newest first.
   *
   * @param options - `limit`: at most 1,000, default 100; `after`: the `next` of the page before
   * @throws {@link EventStoreError}
   */
  list(
    filter?: ConversationFilter,
    options?: { readonly limit?: number; readonly after?: string },
  ): Promise<{ readonly conversations: readonly ConversationOverview[]; readonly next: string | undefined }>;
  /** Returns sums over conversations. */
  totals(filter?: ConversationFilter): Promise<ConversationTotals>;
  /**
   * Computes overviews anew from the logs: of the conversations whose overview is not current, or of all. Workers may run meanwhile.
   * Resolves to the number of those that it has changed, and the ids of those whose log cannot be read.
   */
  rebuild(options?: {
    readonly all?: boolean;
  }): Promise<{ readonly rebuilt: number; readonly unreadable: readonly string[] }>;
  /**
   * Deletes a conversation: its log, what waits in its inbox, and the limits of these names. Workers may run meanwhile. Its requests are the
   * runner's to forget. Resolves to false if there was nothing.
   *
   * @throws {@link ConversationBusyError} when somebody has it open for writing or appends to it: cancel its run first.
   */
  erase(conversationId: string, options?: { readonly rates?: readonly string[] }): Promise<boolean>;
  /**
   * Deletes whole conversations, with what waits in their inboxes, that nobody has appended or written to since a time, and limits that nobody
   * has used since. Those that somebody has open stay, and those whose overview is not current. Resolves to the ids of those that it has
   * deleted, of at most `limit` (default 1,000).
   */
  eraseInactive(filter: {
    readonly since: Date;
    readonly tenant?: string;
    readonly limit?: number;
  }): Promise<readonly string[]>;
}

/**
 * Returns the stored conversations as lists, sums and deletions.
 *
 * @throws {@link EventStoreError} when `schema` can be no name.
 */
export function postgresConversations(options: PostgresConversationsOptions): PostgresConversations {
  const { client } = options;
  const tables = tablesIn(options.schema);
  const statements = adminStatementsFor(tables);
  const ask = async <Row>(what: string, text: string, params: unknown[]): Promise<readonly Row[]> => {
    const { rows } = await client.query(text, params).catch((error: unknown) => {
      throw asStoreError(what, error);
    });
    return rows as readonly Row[];
  };
  const page = async (filter: ConversationFilter, limit: number, after: string | undefined) =>
    ask<ConversationRow>('list the conversations', statements.list, [...filterOf(filter), after ?? null, limit]);

  const rebuildOne = async ({ conversation, tenant }: ConversationRow): Promise<boolean> => {
    const conversationId = conversationOf(conversation);
    // Somebody may append meanwhile: then the log is read once more.
    for (let tries = 0; tries < 5; tries++) {
      const fold = new OverviewFold();
      let version = 0;
      const reading = { client, statements: statementsFor(tables), maxLogBytes: Number.POSITIVE_INFINITY };
      for await (const { events, bodies } of pages(reading, conversationId, 0, undefined)) {
        events.forEach((event, index) => fold.append(event, bodies[index] ?? ''));
        version += events.length;
      }
      const change = fold.change(options.tenantOf?.(conversationId) ?? tenant ?? undefined);
      const params = [conversation, version, ...parametersOf(change).slice(0, overviewParametersOfNew)];
      const changed = await ask(`rebuild '${conversationId}'`, statements.rebuild, params);
      if (changed.length > 0) return true;
    }
    return false;
  };

  return {
    async list(filter = {}, { limit = 100, after } = {}) {
      if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1_000)
        throw new EventStoreError(`limit is ${String(limit)}; it has to be a whole number from 1 to 1,000.`);
      if (after !== undefined && !/^\d{1,18}$/.test(after))
        throw new EventStoreError(`'${after}' is the next of no page.`);
      const rows = await page(filter, limit, after);
      return { conversations: rows.map(overviewOf), next: rows.length < limit ? undefined : rows.at(-1)?.key };
    },
    async totals(filter = {}) {
      const [row] = await ask<Record<keyof ConversationTotals, string>>(
        'add up the conversations',
        statements.totals,
        filterOf(filter),
      );
      const sum = (name: keyof ConversationTotals) => Number(row?.[name] ?? 0);
      return {
        conversations: sum('conversations'),
        waiting: sum('waiting'),
        inputTokens: sum('inputTokens'),
        outputTokens: sum('outputTokens'),
        costUsd: sum('costUsd'),
        bytes: sum('bytes'),
      };
    },
    async rebuild({ all = false } = {}) {
      let rebuilt = 0;
      const unreadable: string[] = [];
      for (let after: string | undefined; ;) {
        const rows = await page(all ? {} : { isStale: true }, 100, after);
        for (const row of rows) {
          try {
            if (await rebuildOne(row)) rebuilt++;
          } catch (error) {
            if (!EventStoreError.isInstance(error) || error.isRetryable) throw error;
            unreadable.push(conversationOf(row.conversation));
          }
        }
        if (rows.length < 100) return { rebuilt, unreadable };
        after = rows.at(-1)?.key;
      }
    },
    async erase(conversationId, { rates = [] } = {}) {
      assertConversationId(conversationId);
      const erased = await eraseOne(client, statements.erase, [hexOf(conversationId)], conversationId);
      if (erased.isFree !== 'true') throw new ConversationBusyError({ conversationId });
      if (rates.length > 0) await ask('delete limits', statements.eraseRates, [rates]);
      return erased.logs !== '0' || erased.messages !== '0';
    },
    async eraseInactive({ since, tenant, limit = 1_000 }) {
      const time = since.toISOString();
      const found = await ask<{ readonly conversation: string }>('find what is inactive', statements.inactive, [
        ...[time, tenant ?? null, limit],
      ]);
      const erased: string[] = [];
      for (const { conversation } of found) {
        const conversationId = conversationOf(conversation);
        const { logs } = await eraseOne(client, statements.eraseInactive, [conversation, time], conversationId);
        if (logs !== '0') erased.push(conversationId);
      }
      await ask('delete limits', statements.eraseInactiveRates, [String(since.getTime())]);
      return erased;
    },
  };
}

interface Erased {
  /** `true`: nobody had it. */
  readonly isFree: string;
  readonly logs: string;
  readonly messages: string;
}

async function eraseOne(
  client: PostgresClient,
  statement: string,
  params: unknown[],
  conversationId: string,
): Promise<Erased> {
  for (let tries = 1; ; tries++) {
    try {
      return (await client.query(statement, params)).rows[0] as Erased;
    } catch (error) {
      // Between the begin of the statement and its lock, somebody appended what it did not see. Nothing was deleted.
      if (codeOf(error) !== foreignKeyViolation || tries === 10) throw asStoreError(`erase '${conversationId}'`, error);
    }
  }
}
