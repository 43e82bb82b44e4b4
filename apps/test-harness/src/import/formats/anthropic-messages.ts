import { anthropicUsage, readAnthropicMessage, readAnthropicSystem } from '@palimpsest/llm-adapters/wire';
import { isObject, listOf, objectOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { LogFormat } from '../log-format.js';
import type { NoteTaker } from '../note-taker.js';
import { toolDefinitions } from '../tool-definitions.js';
import type { ConversationReader, FoundConversation } from './conversations.js';
import { conversationsIn, readConversations } from './conversations.js';
import { messageReader } from './message-reader.js';

/** What only an Anthropic message holds. */
const ownBlocks: ReadonlySet<unknown> = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking']);

/**
 * Anthropic Messages: a list of messages with content blocks, `{ system?, messages, tools? }`, lists of these, and JSON
 * Lines of either. The content blocks identify the format; a conversation with only plain text is read as `openai-chat`.
 */
export const anthropicMessages: LogFormat = {
  name: 'anthropic-messages',

  recognise: ({ document, head }) =>
    document === undefined
      ? head.some(hasOwnBlock) || head.some((value) => conversationsWithBlocks(value).length > 0)
      : conversationsWithBlocks(document).length > 0,

  read: (source) => readConversations(source, isAnthropicMessage, (beside) => openSession(beside, source.notes)),
};

const api = { read: readAnthropicMessage, usage: anthropicUsage };

function openSession(beside: JsonObject, notes: NoteTaker): ConversationReader {
  const reader = messageReader(notes, api);
  const { systemPrompt, dynamicContext } = readAnthropicSystem(beside['system']);
  const tools = toolDefinitions(beside['tools'], notes);
  if (systemPrompt !== '' || tools.length > 0)
    reader.recorder.systemPrompt({ id: 'system' }, systemPrompt, tools, dynamicContext);
  return reader;
}

function isAnthropicMessage(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    (value['role'] === 'user' || value['role'] === 'assistant' || value['role'] === 'system') &&
    'content' in value &&
    !Array.isArray(value['tool_calls'])
  );
}

function hasOwnBlock(message: unknown): boolean {
  return (
    isAnthropicMessage(message) && listOf(message['content']).some((block) => ownBlocks.has(objectOf(block)['type']))
  );
}

function conversationsWithBlocks(value: unknown): readonly FoundConversation[] {
  return conversationsIn(value, isAnthropicMessage).filter(({ messages }) => listOf(messages).some(hasOwnBlock));
}
