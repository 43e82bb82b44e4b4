import { assertConversationId, createEvent, isMeaningful, newEventId } from '@palimpsest/events';
import type { ContentPart, EventId } from '@palimpsest/events';
import type { PostgresClient } from './client.js';
import { hexOf } from './statements.js';
import { asStoreError } from './store-errors.js';
import { tablesIn } from './tables.js';

/** Options of {@link postgresInbox}. */
export interface PostgresInboxOptions {
  /** Runs the statements; the caller ends it. */
  readonly client: PostgresClient;
  /** The schema of the tables, as in `migrate`. @defaultValue the search path's */
  readonly schema?: string;
}

/** Messages that wait for whoever runs their conversation: an `Inbox` of `@palimpsest/agent/runner`. */
export interface PostgresInbox {
  /**
   * Keeps a message, whoever holds the conversation. Resolves to its id when it is stored. Then enqueue the conversation.
   *
   * @param options - `id`: of the message; one that waits or is delivered already is not delivered again. @defaultValue a new one
   * @throws TypeError when the message is empty.
   * @throws {@link InvalidEventError}, {@link EventStoreError}.
   */
  put(
    conversationId: string,
    content: string | readonly ContentPart[],
    options?: { readonly id?: EventId },
  ): Promise<EventId>;
  /** The messages that wait, oldest first; at most 100. */
  read(conversationId: string): Promise<readonly { readonly id: EventId; readonly content: readonly ContentPart[] }[]>;
  /** Takes messages out, whose events are stored. */
  remove(conversationId: string, ids: readonly EventId[]): Promise<void>;
}

/**
 * Returns an inbox on PostgreSQL. One statement each way. Make the tables first: `migrate(client)`.
 *
 * A message waits here as it was put in: secrets are masked when it is delivered.
 *
 * @throws {@link EventStoreError} when `schema` can be no name.
 */
export function postgresInbox({ client, schema }: PostgresInboxOptions): PostgresInbox {
  const { inbox } = tablesIn(schema);
  const ask = async (what: string, text: string, conversationId: string, ...params: unknown[]) => {
    assertConversationId(conversationId);
    const { rows } = await client.query(text, [hexOf(conversationId), ...params]).catch((error: unknown) => {
      throw asStoreError(`${what} the inbox of '${conversationId}'`, error);
    });
    return rows;
  };
  return {
    async put(conversationId, content, { id = newEventId() } = {}) {
      const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      if (!parts.some(isMeaningful)) throw new TypeError('A message must hold some text or an image.');
      // What could not be delivered must not wait.
      const event = createEvent('message', { id, source: 'user', role: 'user', content: parts });
      await ask(
        'put into',
        `insert into ${inbox} (conversation, id, content) values (decode($1, 'hex'), $2, $3) on conflict do nothing`,
        conversationId,
        JSON.stringify(event.id),
        JSON.stringify(event.content),
      );
      return event.id;
    },
    async read(conversationId) {
      const rows = await ask(
        'read',
        `select id, content from ${inbox} where conversation = decode($1, 'hex') order by position limit 100`,
        conversationId,
      );
      return (rows as readonly { readonly id: string; readonly content: string }[]).map(({ id, content }) => ({
        id: JSON.parse(id) as EventId,
        content: JSON.parse(content) as readonly ContentPart[],
      }));
    },
    async remove(conversationId, ids) {
      await ask(
        'take from',
        `delete from ${inbox} where conversation = decode($1, 'hex') and id = any($2::text[])`,
        conversationId,
        ids.map((id) => JSON.stringify(id)),
      );
    },
  };
}
