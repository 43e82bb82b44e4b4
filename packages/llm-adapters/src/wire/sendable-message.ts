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

/** An assistant message whose parts and thinking are all of kinds that an adapter knows how to send. */
export type SendableAssistantMessage = Omit<AssistantMessage, 'content' | 'thinkingBlocks'> &
  HasKnownContent &
  KnownThinking;
/** A tool message whose parts are all of kinds that an adapter knows how to send. */
export type SendableToolMessage = Omit<ToolMessage, 'content'> & HasKnownContent;

/** A message whose parts and thinking are all of kinds that an adapter knows how to send. */
export type SendableMessage =
  | (Omit<SystemMessage, 'content'> & HasKnownContent)
  | (Omit<UserMessage, 'content'> & HasKnownContent)
  | SendableAssistantMessage
  | SendableToolMessage;

function isKnown(message: Message): message is Message & SendableMessage {
  if (!message.content.every(isKnownContent)) return false;
  return message.role !== 'assistant' || (message.thinkingBlocks ?? []).every(isKnownThinkingBlock);
}

function knownPartsOf(message: Message): SendableMessage {
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
 * Returns the message as an adapter can send it: well-formed, and without the kinds that this version does not know.
 * Returns the same object if nothing has to change. Messages of a view need no change. Messages that a caller built
 * may.
 *
 * An unknown part is left out. A result without any other part gets a text that says so. An unknown thinking block
 * removes all thinking of its message, because thinking is sent back completely or not at all.
 */
export function sendableMessage(message: AssistantMessage): SendableAssistantMessage;
export function sendableMessage(message: ToolMessage): SendableToolMessage;
export function sendableMessage(message: Message): SendableMessage;
export function sendableMessage(message: Message): SendableMessage {
  const wellFormed = wellFormedMessage(message);
  return isKnown(wellFormed) ? wellFormed : knownPartsOf(wellFormed);
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

/**
 * The first message if the history does not start with the user (Anthropic: rule A2; both providers refuse an empty
 * list).
 */
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
