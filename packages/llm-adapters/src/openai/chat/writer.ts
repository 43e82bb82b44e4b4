import { isMeaningful } from '@palimpsest/events';
import type { AssistantMessage, KnownContent, Message } from '@palimpsest/events';
import { Memo } from '../../memo.js';
import { sentIdsOf } from '../../wire/call-ids.js';
import type { CallIds } from '../../wire/call-ids.js';
import { imageSource } from '../../wire/images.js';
import { field, textOf } from '../../wire/json-fields.js';
import type { ThinkingPiece } from '../../wire/pieces.js';
import { failedSilently, imageNotShown, sendableMessage, textOnly } from '../../wire/sendable-message.js';
import type { SendableAssistantMessage, SendableMessage } from '../../wire/sendable-message.js';
import { toolArguments } from '../../wire/tool-input.js';
import { sentNamesOf } from '../../wire/tool-names.js';
import type { ToolNames } from '../../wire/tool-names.js';

/** The differences in messages between servers that speak Chat Completions. */
export interface ChatDialect {
  /** `text`: content is always one string, and an image becomes a text that names it. */
  readonly content: 'parts' | 'text';
  /** The content of an assistant message that has only calls. */
  readonly emptyContent: 'null' | 'empty-string';
  /**
   * The messages that carry the model's unsigned reasoning: `with-calls` puts it, even empty, on every message with
   * calls.
   */
  readonly reasoning: 'left-out' | 'with-calls';
  /** Thought signatures are fields of calls, and those since the user's last message must be sent back. */
  readonly thoughtSignatures: boolean;
}

/** The options of writing a message. */
export interface ChatWriting {
  readonly ids: CallIds;
  readonly names: Pick<ToolNames, 'toWire'>;
  readonly dialect: ChatDialect;
  /** Each text that is not empty is a list of one part, so that it can carry a cache mark. @defaultValue `false` */
  readonly textInParts?: boolean;
}

/** A part of a message: an image only in a message of the user. */
export type ChatPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

/** A message that a request sends. */
export type ChatMessage =
  | { role: 'system'; content: string | ChatPart[] }
  | { role: 'user'; content: string | ChatPart[] }
  | { role: 'assistant'; content: string | ChatPart[] | null; tool_calls?: ChatCall[]; reasoning_content?: string }
  | { role: 'tool'; tool_call_id: string; content: string | ChatPart[] };

interface ChatCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

const written = new Memo<Message, ChatMessage>();

/**
 * Writes a message for Chat Completions. Write messages in order: the ids of calls depend on the earlier messages. The result is
 * well-formed. That of a frozen message is remembered, shared by all calls, and frozen.
 */
export function chatMessage(message: Message, writing: ChatWriting): ChatMessage {
  const { dialect, textInParts = false } = writing;
  const sentIds = sentIdsOf(message, writing.ids);
  const sentNames = sentNamesOf(message, writing.names);
  const { content, emptyContent, reasoning, thoughtSignatures } = dialect;
  const inputs = [
    content,
    emptyContent,
    reasoning,
    thoughtSignatures,
    textInParts,
    sentIds.length,
    ...sentIds,
    ...sentNames,
  ];
  const write = () => {
    const made = messageOf(sendableMessage(message), { sentIds, sentNames, dialect });
    return textInParts ? withTextInParts(made) : made;
  };
  return written.of(message, write, inputs);
}

/**
 * The form in which a message is written: under which ids its calls or its result, under which names its calls, and for
 * which server.
 */
interface Written {
  readonly sentIds: readonly string[];
  readonly sentNames: readonly string[];
  readonly dialect: ChatDialect;
}

function messageOf(message: SendableMessage, writing: Written): ChatMessage {
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
      return { role: 'tool', tool_call_id: writing.sentIds[0] ?? message.toolCallId, content: said };
    }
  }
}

function withTextInParts(message: ChatMessage): ChatMessage {
  const { content } = message;
  if (typeof content !== 'string' || content === '') return message;
  return { ...message, content: [{ type: 'text', text: content }] };
}

function assistantMessage(message: SendableAssistantMessage, { sentIds, sentNames, dialect }: Written): ChatMessage {
  const { toolCalls = [] } = message;
  const text = textOnly(message.content);
  if (toolCalls.length === 0) return { role: 'assistant', content: text };
  const reasoning = dialect.reasoning === 'with-calls' ? { reasoning_content: message.reasoningContent ?? '' } : {};
  return {
    role: 'assistant',
    content: text === '' && dialect.emptyContent === 'null' ? null : text,
    ...reasoning,
    tool_calls: toolCalls.map((call, index) => ({
      id: sentIds[index] ?? call.id,
      type: 'function',
      function: { name: sentNames[index] ?? call.name, arguments: toolArguments(call.arguments) },
      ...(dialect.thoughtSignatures ? signatureOfCall(message, index) : {}),
    })),
  };
}

function userContent(content: readonly KnownContent[], dialect: ChatDialect): string | ChatPart[] {
  if (dialect.content === 'text') return textOnly(content, 'this server takes text only');
  const hasImages = content.some(({ type }) => type === 'image');
  return hasImages ? content.filter(isMeaningful).map(chatPart) : textOnly(content);
}

function chatPart(part: KnownContent): ChatPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const source = imageSource(part);
  if (source.type === 'unsupported') return { type: 'text', text: imageNotShown(source.reason) };
  return { type: 'image_url', image_url: { url: part.url } };
}

// Gemini puts the signature of its thoughts on the calls that follow from them (`extra_content.google.thought_signature`), and
// only on the first call of a parallel batch. In neutral form this is a thinking block without text; the block's position
// identifies the call.

/** Google's documented value for a call with an unknown signature: another model made the call, or an edit lost the signature. */
const notKnown = 'skip_thought_signature_validator';

/**
 * Returns the signature field of a call: its own signature. For the first call of an answer without one, the documented value.
 * Gemini requires only the signatures since the user's last message. The others are sent too, so that a longer request extends a
 * shorter one.
 *
 * @see provider-rules D, Gemini
 */
function signatureOfCall(message: AssistantMessage, index: number): object {
  const position = message.content.length + index;
  const own = message.thinkingBlocks?.find((block) => block.type === 'thinking' && block.position === position);
  const signature = own?.type === 'thinking' ? own.signature : undefined;
  const sent = signature ?? (index === 0 ? notKnown : undefined);
  return sent === undefined ? {} : { extra_content: { google: { thought_signature: sent } } };
}

/** Returns the signature on a call as a thinking block at the call's position. None if the call has no signature of its own. */
export function signatureOn(call: unknown): readonly ThinkingPiece[] {
  const signature = textOf(field(field(field(call, 'extra_content'), 'google'), 'thought_signature'));
  if (signature === undefined || signature === notKnown) return [];
  return [{ type: 'thinking', block: { type: 'thinking', thinking: '', signature }, isOnCall: true }];
}
