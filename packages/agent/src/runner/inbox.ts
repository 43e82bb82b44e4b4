import type { ContentPart, EventId } from '@palimpsest/events';
import { DuplicateEventError } from '@palimpsest/events';
import type { Conversation } from '../conversation.js';

/** A message that waits for whoever runs its conversation. */
export interface InboxMessage {
  /** The id that its event will have. The log holds an id once, so the message is delivered once. */
  readonly id: EventId;
  readonly content: readonly ContentPart[];
}

/** What a worker needs of an inbox. Messages are put in by anybody, at any time: `postgresInbox` of `@palimpsest/postgres`. */
export interface Inbox {
  /** The messages that wait, oldest first. */
  read(conversationId: string): Promise<readonly InboxMessage[]>;
  /** Takes messages out, whose events are stored. */
  remove(conversationId: string, ids: readonly EventId[]): Promise<void>;
}

/**
 * Delivers what waits: each message is appended, and then taken out. A process that dies in between leaves a message that is in the log
 * already; the next delivery only takes it out. Safe during a run of the same object.
 *
 * @throws {@link ConversationBusyError} when another writer holds the conversation; what the store and the inbox throw. What was not
 *   delivered still waits.
 */
export async function deliver(conversation: Conversation, inbox: Inbox): Promise<void> {
  const messages = await inbox.read(conversation.id);
  for (const { id, content } of messages) {
    await conversation.send(content, { id }).catch((error: unknown) => {
      if (!DuplicateEventError.isInstance(error)) throw error;
    });
    await inbox.remove(conversation.id, [id]);
  }
}
