import {
  isKnownContent,
  isKnownThinkingBlock,
  knownThinking,
  repositioned,
  resultContent,
  wellFormedMessage,
} from '@palimpsest/events';
import type {
  AssistantMessage,
  KnownContent,
  KnownThinking,
  Message,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from '@palimpsest/events';

interface HasKnownContent {
  readonly content: readonly KnownContent[];
}

export type KnownAssistantMessage = Omit<AssistantMessage, 'content' | 'thinkingBlocks'> &
  HasKnownContent &
  KnownThinking;
export type KnownToolMessage = Omit<ToolMessage, 'content'> & HasKnownContent;

/** A message whose parts and thinking are all of kinds that an adapter knows how to send. */
export type KnownMessage =
  | (Omit<SystemMessage, 'content'> & HasKnownContent)
  | (Omit<UserMessage, 'content'> & HasKnownContent)
  | KnownAssistantMessage
  | KnownToolMessage;

/**
 * Removes the kinds that this version does not know from a message. An unknown part is left out; a result without any other part
 * gets a text that says so. An unknown thinking block removes all thinking of its message, because thinking is sent back
 * completely or not at all. A message without unknown kinds is returned as the same object.
 */
function knownMessage(message: Message): KnownMessage {
  return isKnown(message) ? message : knownPartsOf(message);
}

function isKnown(message: Message): message is Message & KnownMessage {
  if (!message.content.every(isKnownContent)) return false;
  return message.role !== 'assistant' || (message.thinkingBlocks ?? []).every(isKnownThinkingBlock);
}

function knownPartsOf(message: Message): KnownMessage {
  const content = message.content.filter(isKnownContent);
  switch (message.role) {
    case 'tool':
      return { ...message, content: resultContent(message.content) };
    case 'assistant': {
      const { thinkingBlocks: _blocks, reasoningItems: _items, reasoningContent: _text, ...said } = message;
      return { ...said, content, ...repositioned(knownThinking(message), message.content, isKnownContent) };
    }
    default:
      return { ...message, content };
  }
}

/**
 * The message as an adapter can send it: well-formed, and without the kinds that this version does not know. The same object if
 * nothing has to change. Messages of a view need no change; messages that a caller built may.
 */
export function sendableMessage(message: AssistantMessage): KnownAssistantMessage;
export function sendableMessage(message: ToolMessage): KnownToolMessage;
export function sendableMessage(message: Message): KnownMessage;
export function sendableMessage(message: Message): KnownMessage {
  return knownMessage(wellFormedMessage(message));
}

/** The separator between parts that are joined to one string. */
const partSeparator = '\n\n';

/** Joins parts to one text. An image becomes its name and the reason why it is not sent. */
export function textOnly(content: readonly KnownContent[], reason = 'it stands where only text can'): string {
  return content
    .map((part) => (part.type === 'text' ? part.text : imageNotShown(reason)))
    .filter((text) => text.trim() !== '')
    .join(partSeparator);
}

// Texts that fill places of a request that a provider does not accept empty. Each text is the same in every request, so that a
// longer request extends a shorter one.

/** The first message if the history does not start with the user (Anthropic: rule A2; both providers refuse an empty list). */
export const startOfConversation = '(The conversation starts here.)';

/** The last message if the history ends with the model (Anthropic: rule A11). */
export const pleaseGoOn = '(Please go on.)';

/** The text of an assistant turn that consists only of thinking: Anthropic refuses a turn that ends in a thinking block. */
export const noWords = '(No words.)';

/** The content of an error result without content: Anthropic refuses `is_error` without content. */
export const failedSilently = '(The tool failed and said nothing.)';

/** Replaces an image that cannot be sent. */
export function imageNotShown(reason: string): string {
  return `(An image is not shown here: ${reason}.)`;
}
