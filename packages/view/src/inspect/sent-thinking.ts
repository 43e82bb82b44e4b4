import type { AssistantMessage, EventId, Message } from '@palimpsest/events';
import { itemMessages } from '../render/messages.js';
import type { ThinkingMode } from '../view.js';
import type { SentItem } from '../fold/send-order.js';
import type { View } from '../view.js';

/** The options that name the thinking which a host's model client sends. */
export interface SentThinkingOptions {
  /** @defaultValue the view's own mode */
  readonly thinking?: ThinkingMode | undefined;
  /** True if signed blocks are sent: to the provider that has signed them. @defaultValue true */
  readonly signed?: boolean | undefined;
  /** The cases in which unsigned reasoning is sent: never, with calls, or always. @defaultValue 'always' */
  readonly plain?: 'never' | 'with-calls' | 'always' | undefined;
}

/**
 * Returns the thinking that the next request holds, by the event that carries it: a text for each block. Stale thinking
 * and that of calls which are not sent is not among it. Cost: one rendering of the view.
 */
export function sentThinking(view: View, options: SentThinkingOptions = {}): ReadonlyMap<EventId, readonly string[]> {
  const { thinking, signed = true, plain = 'always' } = options;
  const order = view.sent();
  const found = new Map<EventId, readonly string[]>();
  for (const item of order.items) {
    const carrier = carrierOf(item);
    if (carrier === undefined) continue;
    const message = itemMessages(item, order, { thinking }).find(isAnswer);
    if (message === undefined) continue;
    const { thinkingBlocks = [], reasoningContent = '', toolCalls = [] } = message;
    const sendsPlain = plain === 'always' || (plain === 'with-calls' && toolCalls.length > 0);
    const texts = [
      ...(sendsPlain ? [reasoningContent] : []),
      ...thinkingBlocks.flatMap((block) =>
        block.type === 'thinking' && (block.signature === undefined ? sendsPlain : signed) ? [block.thinking] : [],
      ),
    ].filter((text) => text !== '');
    if (texts.length > 0) found.set(carrier, texts);
  }
  return found;
}

function carrierOf(item: SentItem): EventId | undefined {
  if (item.kind === 'words') return item.event.type === 'message' ? item.event.id : undefined;
  return item.kind === 'batch' ? item.response[0]?.id : undefined;
}

function isAnswer(message: Message): message is AssistantMessage {
  return message.role === 'assistant';
}
