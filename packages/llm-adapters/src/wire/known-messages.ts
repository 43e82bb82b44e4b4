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
 * The messages without what this version does not know: a part is left out, and a result with nothing else says so; a block
 * of thinking takes all thinking of its message with it, because thinking goes back whole or not at all. A view has done
 * that before; a caller with messages of their own may not have. Messages of which all is known are the same objects.
 */
export function knownMessages(messages: readonly Message[]): readonly KnownMessage[] {
  return messages.map((message) => (isKnown(message) ? message : knownPartsOf(message)));
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
