import { anthropicUsage, readAnthropicMessage, readAnthropicSystem } from '@palimpsest/llm-adapters/wire';
import { isObject, listOf, objectOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import type { NoteTaker } from '../note-taker.js';
import { recordMessage } from '../record-message.js';
import { SessionRecorder } from '../session-recorder.js';
import type { Entry } from '../entry.js';
import { toolDefinitions } from '../tool-definitions.js';
import type { FoundConversation } from './conversations.js';
import { conversationName, conversationsIn } from './conversations.js';

/** What only an Anthropic message holds. */
const ownBlocks: ReadonlySet<unknown> = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking']);

/**
 * Anthropic Messages: a list of messages with content blocks, `{ system?, messages, tools? }`, lists of these, and JSON
 * Lines of either. It is known by its blocks; a conversation of plain text alone is read as `openai-chat`.
 */
export const anthropicMessages: LogFormat = {
  name: 'anthropic-messages',

  recognise: ({ document, head }) =>
    document === undefined
      ? head.some(hasOwnBlock) || head.some((value) => conversationsWithBlocks(value).length > 0)
      : conversationsWithBlocks(document).length > 0,

  read: readAnthropic,
};

async function* readAnthropic(source: LogSource): AsyncGenerator<ImportedSession> {
  let open: AnthropicSession | undefined;
  let sessions = 0;
  for await (const { value, line } of source.records()) {
    if (isAnthropicMessage(value)) {
      open ??= new AnthropicSession(source.notes);
      open.read(value, line);
      continue;
    }
    const found = conversationsIn(value, isAnthropicMessage);
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
  const session = new AnthropicSession(notes, { system: beside['system'], tools: beside['tools'] });
  for (const message of messages) session.read(objectOf(message));
  return session.finish();
}

class AnthropicSession {
  readonly #notes: NoteTaker;
  readonly #recorder: SessionRecorder;
  #index = 0;

  constructor(notes: NoteTaker, options: { readonly system?: unknown; readonly tools?: unknown } = {}) {
    this.#notes = notes;
    this.#recorder = new SessionRecorder(notes);
    const { systemPrompt, dynamicContext } = readAnthropicSystem(options.system);
    const tools = toolDefinitions(options.tools, notes);
    if (systemPrompt !== '' || tools.length > 0)
      this.#recorder.systemPrompt({ id: 'system' }, systemPrompt, tools, dynamicContext);
  }

  finish(): ImportedSession['events'] {
    return this.#recorder.finish();
  }

  read(message: JsonObject, line?: number): void {
    const index = this.#index++;
    const entry: Entry = {
      id: line === undefined ? `message-${index}` : `line-${line}`,
      line,
      timestamp: message['timestamp'],
    };
    const place = { entry, recorder: this.#recorder, notes: this.#notes };
    const response = recordMessage(readAnthropicMessage(message), place);
    response?.count(entry, message['model'], anthropicUsage(message['usage'])?.usage);
  }
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
