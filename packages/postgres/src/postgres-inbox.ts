import {
  assertConversationId,
  createEvent,
  EventStoreError,
  InvalidEventError,
  isMeaningful,
  newEventId,
} from '@palimpsest/events';
import type { ContentPart, EventId } from '@palimpsest/events';
import type { PostgresClient } from './client.js';
import { MessageTooLargeError } from './errors.js';
import { conversationOf, hexOf } from './statements.js';
import { asStoreError } from './store-errors.js';
import { tablesIn } from './tables.js';

/** Options of {@link postgresInbox}. */
export interface PostgresInboxOptions {
  /** Runs the statements; the caller ends it. */
  readonly client: PostgresClient;
  /** The schema of the tables, as in `migrate`. @defaultValue the search path's */
  readonly schema?: string;
  /** A message that is larger is refused, as JSON in UTF-8. Unit: bytes. @defaultValue 8388608 */
  readonly maxMessageBytes?: number;
}

/** Messages that wait for whoever runs their conversation: an `Inbox` of `@palimpsest/agent/runner`. */
export interface PostgresInbox {
  /**
   * Keeps a message, whoever holds the conversation. Resolves to its id when it is stored. Then enqueue the conversation.
   *
   * @param options - `id`: of the message; one that waits or is delivered already is not delivered again. @defaultValue a new one
   * @throws TypeError when the message is empty.
   * @throws {@link MessageTooLargeError} when it is larger than `maxMessageBytes`.
   * @throws {@link InvalidEventError}, also for an id of more than 1,000 bytes as JSON; {@link EventStoreError}.
   */
  put(
    conversationId: string,
    content: string | readonly ContentPart[],
    options?: { readonly id?: EventId },
  ): Promise<EventId>;
  /** The messages that wait, oldest first; at most 100, and no more behind the one that brings them to 16 MiB. */
  read(conversationId: string): Promise<readonly { readonly id: EventId; readonly content: readonly ContentPart[] }[]>;
  /** Takes messages out, whose events are stored. */
  remove(conversationId: string, ids: readonly EventId[]): Promise<void>;
  /**
   * Returns conversations whose oldest message has waited for so long, by the clock of the server: whoever put it in may have died before the
   * conversation was enqueued.
   *
   * @param options - `olderThanMs`: unit milliseconds; `limit`: of conversations, default 100
   */
  overdue(options: { readonly olderThanMs: number; readonly limit?: number }): Promise<readonly string[]>;
}

/** The size of the messages that one read returns, but for the last. Unit: bytes. */
const readBytes = 16_777_216;
/** The table's index holds it beside the id of a conversation. Unit: bytes. */
const maxIdBytes = 1_000;

/**
 * Returns an inbox on PostgreSQL. One statement each way. Make the tables first: `migrate(client)`.
 *
 * A message waits here as it was put in: secrets are masked when it is delivered.
 *
 * @throws {@link EventStoreError} when an option is not valid.
 */
export function postgresInbox({ client, schema, maxMessageBytes = 8_388_608 }: PostgresInboxOptions): PostgresInbox {
  const { inbox } = tablesIn(schema);
  if (!(maxMessageBytes > 0))
    throw new EventStoreError(`maxMessageBytes is ${String(maxMessageBytes)}; it has to be above 0.`);
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
      assertConversationId(conversationId);
      const event = createEvent('message', { id, source: 'user', role: 'user', content: parts });
      const [key, body] = [JSON.stringify(event.id), JSON.stringify(event.content)];
      assertIdFits(event.id, key);
      const bytes = utf8.encode(body).length;
      if (bytes > maxMessageBytes) throw new MessageTooLargeError({ conversationId, bytes, maxBytes: maxMessageBytes });
      await ask(
        'put into',
        `insert into ${inbox} (conversation, id, content) values (decode($1, 'hex'), $2, $3) on conflict do nothing`,
        conversationId,
        key,
        body,
      );
      return event.id;
    },
    async read(conversationId) {
      const rows = await ask(
        'read',
        `select id, content from (
           select position, id, content,
             sum(octet_length(content)) over (order by position rows unbounded preceding) - octet_length(content) as before
           from (select * from ${inbox} where conversation = decode($1, 'hex') order by position limit 100) as oldest
         ) as message where before < ${readBytes} order by position`,
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
    async overdue({ olderThanMs, limit = 100 }) {
      const statement = `
select encode(conversation, 'hex') as conversation from ${inbox}
where put_at < now() - make_interval(secs => $1::float8 / 1000) group by conversation order by min(put_at) limit $2::int`;
      const { rows } = await client.query(statement, [String(olderThanMs), String(limit)]).catch((error: unknown) => {
        throw asStoreError('look for messages that wait', error);
      });
      return (rows as readonly { readonly conversation: string }[]).map((row) => conversationOf(row.conversation));
    },
  };
}

const utf8 = new TextEncoder();

function assertIdFits(id: EventId, key: string): void {
  const bytes = utf8.encode(key).length;
  if (bytes <= maxIdBytes) return;
  const reason = `it has ${bytes} bytes as JSON, and an inbox takes ${maxIdBytes}`;
  throw new InvalidEventError({ reason, path: ['id'], eventId: id.slice(0, 100), eventType: 'message' });
}
