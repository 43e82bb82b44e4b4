import type { KnownContent } from '@palimpsest/events';
import type { CallIds } from './call-ids.js';
import { imageSource } from './image-source.js';
import type { KnownAssistantMessage, KnownMessage } from './known-messages.js';
import { failedSilently, imageNotShown } from './placeholders.js';
import { textOnly } from './text-only.js';
import { signatureOfCall } from './thought-signatures.js';
import { toolArguments } from './tool-input.js';
import type { ToolNames } from './tool-names.js';

/** The differences in messages between servers that speak Chat Completions. */
export interface ChatDialect {
  /** `text`: content is always one string, and an image becomes a text that names it. */
  readonly content: 'parts' | 'text';
  /** The content of an assistant message that has only calls. */
  readonly emptyContent: 'null' | 'empty-string';
  /** Which messages carry the model's unsigned reasoning: `with-calls` puts it, even empty, on every message with calls. */
  readonly reasoning: 'left-out' | 'with-calls';
  /** Thought signatures are fields of calls, and those since the user's last message must be sent back. */
  readonly thoughtSignatures: boolean;
}

/** The options of writing a message. */
export interface ChatWriting {
  readonly ids: CallIds;
  readonly names: Pick<ToolNames, 'toWire'>;
  readonly dialect: ChatDialect;
}

/** A part of a user message. */
export type ChatPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

/** A message that a request sends. */
export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | ChatPart[] }
  | { role: 'assistant'; content: string | null; tool_calls?: ChatCall[]; reasoning_content?: string }
  | { role: 'tool'; tool_call_id: string; content: string };

interface ChatCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** Writes a message for Chat Completions. Write messages in order: the ids of calls depend on the earlier messages. */
export function chatMessage(message: KnownMessage, writing: ChatWriting): ChatMessage {
  const { content } = message;
  switch (message.role) {
    case 'system':
      return { role: 'system', content: textOnly(content) };
    case 'user':
      return { role: 'user', content: userContent(content, writing.dialect) };
    case 'assistant':
      return assistantMessage(message, writing);
    case 'tool': {
      const text = textOnly(content, 'it follows the results');
      const said = text === '' && message.isError === true ? failedSilently : text;
      return { role: 'tool', tool_call_id: writing.ids.ofResult(message.toolCallId), content: said };
    }
  }
}

function assistantMessage(message: KnownAssistantMessage, { ids, names, dialect }: ChatWriting): ChatMessage {
  const { toolCalls = [] } = message;
  const text = textOnly(message.content);
  if (toolCalls.length === 0) return { role: 'assistant', content: text };
  const sentIds = ids.ofCalls(toolCalls);
  const reasoning = dialect.reasoning === 'with-calls' ? { reasoning_content: message.reasoningContent ?? '' } : {};
  return {
    role: 'assistant',
    content: text === '' && dialect.emptyContent === 'null' ? null : text,
    ...reasoning,
    tool_calls: toolCalls.map((call, index) => ({
      id: sentIds[index] ?? call.id,
      type: 'function',
      function: { name: names.toWire(call.name), arguments: toolArguments(call.arguments) },
      ...(dialect.thoughtSignatures ? signatureOfCall(message, index) : {}),
    })),
  };
}

function userContent(content: readonly KnownContent[], dialect: ChatDialect): string | ChatPart[] {
  if (dialect.content === 'text') return textOnly(content, 'this server takes text only');
  return content.some(({ type }) => type === 'image') ? content.map(chatPart) : textOnly(content);
}

function chatPart(part: KnownContent): ChatPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const source = imageSource(part);
  if (source.type === 'unsupported') return { type: 'text', text: imageNotShown(source.reason) };
  return { type: 'image_url', image_url: { url: part.url } };
}
