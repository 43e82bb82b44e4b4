import { isObject } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import type { NoteTaker } from '../note-taker.js';
import { ChatMessages, isChatMessage } from './chat-messages.js';
import type { FoundConversation } from './conversations.js';
import { conversationName, conversationsIn } from './conversations.js';

/**
 * OpenAI Chat Completions messages: a list of them, `{ messages, tools? }`, tau-bench's `{ traj }`, lists of these, and JSON
 * Lines of messages or of any of these. A user message is taken for the user's own, unless it reads like a result.
 */
export const openAIChat: LogFormat = {
  name: 'openai-chat',

  recognise: ({ document, head }) =>
    document === undefined
      ? head.filter(isChatMessage).length * 2 > head.length ||
        head.some((value) => conversationsIn(value, isChatMessage).length > 0)
      : isChatMessage(document) || conversationsIn(document, isChatMessage).length > 0,

  read: readChat,
};

async function* readChat(source: LogSource): AsyncGenerator<ImportedSession> {
  let open: ChatMessages | undefined;
  let sessions = 0;
  for await (const { value, line } of source.records()) {
    if (isChatMessage(value)) {
      open ??= new ChatMessages(source.notes);
      open.read(value, source.document === undefined ? line : undefined);
      continue;
    }
    const found = conversationsIn(value, isChatMessage);
    if (found.length === 0) source.notes.add('unknown-line-type', 'a line with no messages was left out', line);
    for (const conversation of found) {
      const isOnly = source.document !== undefined && found.length === 1;
      yield {
        name: conversationName(source.name, conversation, sessions++, isOnly),
        events: eventsOf(conversation, source.notes),
      };
    }
  }
  if (open !== undefined) yield { name: source.name, events: open.finish() };
}

function eventsOf({ messages, beside }: FoundConversation, notes: NoteTaker): ImportedSession['events'] {
  const chat = new ChatMessages(notes, { tools: beside['tools'] ?? beside['functions'] });
  for (const message of messages) {
    if (isObject(message)) chat.read(message);
    else notes.add('unknown-line-type', 'something that is no message was left out');
  }
  return chat.finish();
}
