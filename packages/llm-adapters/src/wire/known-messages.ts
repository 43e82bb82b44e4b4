import { isKnownContent, isKnownThinkingBlock, knownThinking, repositioned, resultContent } from '@palimpsest/events';
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
export function knownMessage(message: Message): KnownMessage {
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
