import type { LLMConvertibleEvent, Message, ToolMessage } from '@palimpsest/events';
import type { SentCall, SentItem, SentResult } from '../fold/send-order.js';
import type { RenderOptions, SentOrder } from '../view.js';
import { callsMessage, lateCallMessage, mergedMessage, systemMessage, toolMessage, wordsMessage } from './messages.js';
import type { AnswerContext, RenderContext } from './messages.js';

/** A message, and the item that it was made of; the instructions belong to none. */
interface Rendered {
  readonly item?: SentItem;
  readonly message: Message | undefined;
}

/** A message that merges others. */
interface Merged {
  readonly parts: readonly Message[];
  readonly message: Message;
}

/**
 * The messages that events became with the options that were used last. An event and the other inputs of its message that are
 * checked here decide the message, so every view of a log gets the same object for the same content, whatever was edited around
 * it. Nothing is kept for events that no longer exist.
 */
export class MessageCache {
  #context: RenderContext | undefined;
  /** Words and calls by their event; those whose signed thinking is left out because it is stale apart from the others. */
  #fresh = new WeakMap<LLMConvertibleEvent, Rendered>();
  #stale = new WeakMap<LLMConvertibleEvent, Rendered>();
  #results = new WeakMap<LLMConvertibleEvent, ToolMessage>();
  /** By the first of the messages. */
  #merged = new WeakMap<Message, Merged>();

  /** Renders an order. Adjacent messages of the user are merged. */
  messages(order: SentOrder, options: RenderOptions): readonly Message[] {
    const { thinking = order.thinking, labelObservation } = options;
    if (this.#context?.thinking !== thinking || this.#context.labelObservation !== labelObservation) {
      this.#fresh = new WeakMap();
      this.#stale = new WeakMap();
      this.#results = new WeakMap();
      this.#merged = new WeakMap();
    }
    const context = (this.#context = { thinking, labelObservation });
    const messages: Message[] = [];
    const instructions = order.system && this.#instructions(order.system);
    if (instructions !== undefined) messages.push(instructions);
    /** Messages that are sent in the user's place, with no answer between them. */
    let words: Message[] = [];
    const endWords = (): void => {
      if (words.length > 0) messages.push(words.length === 1 ? (words[0] as Message) : this.#mergedWords(words));
      words = [];
    };
    for (const item of order.items) {
      const isOfUser = item.kind === 'words' && !(item.event.type === 'message' && item.event.role === 'assistant');
      if (!isOfUser || item.afterAssistant) endWords();
      const message = this.#messageOf(item, order, context);
      if (message !== undefined) (isOfUser ? words : messages).push(message);
      if (item.kind === 'batch') for (const result of item.results) messages.push(this.#resultOf(result, context));
      if (item.kind === 'late') messages.push(this.#resultOf(item.result, context));
    }
    endWords();
    return messages;
  }

  #instructions(event: NonNullable<SentOrder['system']>): Message | undefined {
    const known = this.#fresh.get(event);
    if (known !== undefined) return known.message;
    const message = systemMessage(event);
    this.#fresh.set(event, { message });
    return message;
  }

  /** The message of words, or of the calls of an item. */
  #messageOf(item: SentItem, order: SentOrder, context: RenderContext): Message | undefined {
    const event = item.kind === 'words' ? item.event : item.kind === 'late' ? item.call.event : item.calls[0]?.event;
    if (event === undefined) return undefined;
    const carrier = item.kind === 'batch' ? item.response[0] : event;
    const isStale = context.thinking === 'prefix-bound' && hasBlocks(carrier) && order.isThinkingStale(carrier.id);
    const cache = isStale ? this.#stale : this.#fresh;
    const known = cache.get(event);
    if (known?.item !== undefined && isSame(known.item, item)) return known.message;
    const message = renderedItem(item, { ...context, isStale });
    cache.set(event, { item, message });
    return message;
  }

  #resultOf(result: SentResult, context: RenderContext): ToolMessage {
    const known = this.#results.get(result.event);
    if (known?.toolCallId === result.sentId) return known;
    const message = toolMessage(result, context);
    this.#results.set(result.event, message);
    return message;
  }

  #mergedWords(parts: readonly Message[]): Message {
    const [first] = parts as readonly [Message];
    const known = this.#merged.get(first);
    if (known !== undefined && isSameList(known.parts, parts)) return known.message;
    const message = mergedMessage(parts);
    this.#merged.set(first, { parts, message });
    return message;
  }
}

function renderedItem(item: SentItem, context: AnswerContext): Message | undefined {
  if (item.kind === 'words') return wordsMessage(item.event, context);
  return item.kind === 'batch' ? callsMessage(item, context) : lateCallMessage(item.call);
}

function hasBlocks(event: LLMConvertibleEvent | undefined): event is LLMConvertibleEvent {
  return event !== undefined && 'thinkingBlocks' in event && event.thinkingBlocks !== undefined;
}

/** True if two items with one event become the same message. */
function isSame(a: SentItem, b: SentItem): boolean {
  if (a === b || (a.kind === 'words' && b.kind === 'words')) return true;
  if (a.kind === 'late' && b.kind === 'late') return isSameCall(a.call, b.call);
  if (a.kind !== 'batch' || b.kind !== 'batch' || a.calls.length !== b.calls.length) return false;
  return a.calls.every((call, index) => isSameCall(call, b.calls[index])) && isSameList(a.response, b.response);
}

function isSameCall(a: SentCall, b: SentCall | undefined): boolean {
  return a.event === b?.event && a.sentId === b.sentId;
}

function isSameList(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
