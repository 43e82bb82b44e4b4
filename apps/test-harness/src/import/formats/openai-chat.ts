import { openaiUsage, readChatMessage } from '@palimpsest/llm-adapters/wire';
import type { JsonObject } from '../json-shape.js';
import type { LogFormat } from '../log-format.js';
import type { NoteTaker } from '../note-taker.js';
import { toolDefinitions } from '../tool-definitions.js';
import { isChatMessage } from './chat-message.js';
import type { ConversationReader } from './conversations.js';
import { conversationsIn, readConversations } from './conversations.js';
import { messageReader } from './message-reader.js';

/** Matches the start of a result that an agent without native tools sends as a user message. */
const observationText = /^\s*(?:OBSERVATION:|Observation:|EXECUTION RESULT of \[|<returncode>|<tool_response>)/;

/**
 * OpenAI Chat Completions messages: a list of them, `{ messages, tools? }`, tau-bench's `{ traj }`, lists of these, and JSON
 * Lines of messages or of any of these. A user message counts as written by the user unless it begins like a result.
 */
export const openAIChat: LogFormat = {
  name: 'openai-chat',

  recognise: ({ document, head }) =>
    document === undefined
      ? head.filter(isChatMessage).length * 2 > head.length ||
        head.some((value) => conversationsIn(value, isChatMessage).length > 0)
      : isChatMessage(document) || conversationsIn(document, isChatMessage).length > 0,

  read: (source) => readConversations(source, isChatMessage, (beside) => openChat(beside, source.notes)),
};

const api = { read: readChatMessage, usage: openaiUsage };

function sourceOf(text: string): 'user' | 'environment' {
  return observationText.test(text) ? 'environment' : 'user';
}

function openChat(beside: JsonObject, notes: NoteTaker): ConversationReader {
  const tools = toolDefinitions(beside['tools'] ?? beside['functions'], notes);
  return messageReader(notes, api, (index, recorder, { role }) => {
    if (index > 0) return { sourceOf };
    // Tools are part of the system prompt event. If the log has tools but no prompt, the event has an empty prompt.
    if (role !== 'system' && tools.length > 0) recorder.systemPrompt({ id: 'message-0-tools' }, '', tools);
    return { sourceOf, tools };
  });
}
