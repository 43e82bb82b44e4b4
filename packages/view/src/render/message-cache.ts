import type { LLMConvertibleEvent, Message, ToolMessage } from '@palimpsest/events';
import type { SentBatch, SentCall, SentResult, SentWords } from '../fold/send-order.js';
import type { RenderOptions, SentOrder } from '../view.js';
import { callsMessage, lateCallMessage, mergedMessage, systemMessage, toolMessage, wordsMessage } from './messages.js';
import type { AnswerContext, RenderContext } from './messages.js';

/** A message, and the item that it was made of; the instructions belong to none. */
interface Made {
  readonly item?: SentWords | SentBatch;
  readonly message: Message | undefined;
}

/** The message of an event. */
interface Rendered {
  /** Words or calls. */
  fresh?: Made;
  /** Words or calls whose signed thinking is left out because it is stale. */
  stale?: Made;
  result?: ToolMessage;
  /** The call of a late result, by the id under which it is sent. */
  lateCalls?: Map<string, Message>;
}

type Contexts = Readonly<Record<'fresh' | 'stale', AnswerContext>>;

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
  #rendered = new WeakMap<LLMConvertibleEvent, Rendered>();
  /** By the first of the messages. */
  #merged = new WeakMap<Message, Merged>();

  /** Renders an order. Adjacent messages of the user are merged. */
  messages(order: SentOrder, options: RenderOptions): readonly Message[] {
    const { thinking = order.thinking, labelObservation } = options;
    if (this.#context?.thinking !== thinking || this.#context.labelObservation !== labelObservation) {
      this.#rendered = new WeakMap();
      this.#merged = new WeakMap();
    }
    const context = (this.#context = { thinking, labelObservation });
    const contexts = {
      fresh: { thinking, labelObservation, isStale: false },
      stale: { thinking, labelObservation, isStale: true },
    };
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
      const message = item.kind === 'late' ? this.#lateCallOf(item.call) : this.#messageOf(item, order, contexts);
      if (message !== undefined) (isOfUser ? words : messages).push(message);
      if (item.kind === 'batch') for (const result of item.results) messages.push(this.#resultOf(result, context));
      if (item.kind === 'late') messages.push(this.#resultOf(item.result, context));
    }
    endWords();
    return messages;
  }

  #instructions(event: NonNullable<SentOrder['system']>): Message | undefined {
    const rendered = this.#renderedOf(event);
    return (rendered.fresh ??= { message: systemMessage(event) }).message;
  }

  /** The message of words, or of the calls of an item. */
  #messageOf(item: SentWords | SentBatch, order: SentOrder, contexts: Contexts): Message | undefined {
    const event = item.kind === 'words' ? item.event : item.calls[0]?.event;
    if (event === undefined) return undefined;
    const carrier = item.kind === 'batch' ? item.response[0] : event;
    const binds = contexts.fresh.thinking === 'prefix-bound';
    const kind = binds && hasBlocks(carrier) && order.isThinkingStale(carrier.id) ? 'stale' : 'fresh';
    const rendered = this.#renderedOf(event);
    const known = rendered[kind];
    if (known?.item !== undefined && isSame(known.item, item)) return known.message;
    const context = contexts[kind];
    const message = item.kind === 'words' ? wordsMessage(item.event, context) : callsMessage(item, context);
    rendered[kind] = { item, message };
    return message;
  }

  #lateCallOf(call: SentCall): Message {
    const known = (this.#renderedOf(call.event).lateCalls ??= new Map<string, Message>());
    const message = known.get(call.sentId) ?? lateCallMessage(call);
    known.set(call.sentId, message);
    return message;
  }

  #resultOf(result: SentResult, context: RenderContext): ToolMessage {
    const rendered = this.#renderedOf(result.event);
    if (rendered.result?.toolCallId === result.sentId) return rendered.result;
    return (rendered.result = toolMessage(result, context));
  }

  #renderedOf(event: LLMConvertibleEvent): Rendered {
    const known = this.#rendered.get(event);
    if (known !== undefined) return known;
    const rendered: Rendered = {};
    this.#rendered.set(event, rendered);
    return rendered;
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

function hasBlocks(event: LLMConvertibleEvent | undefined): event is LLMConvertibleEvent {
  return event !== undefined && 'thinkingBlocks' in event && event.thinkingBlocks !== undefined;
}

/** True if two items with one event become the same message. */
function isSame(a: SentWords | SentBatch, b: SentWords | SentBatch): boolean {
  if (a === b || (a.kind === 'words' && b.kind === 'words')) return true;
  if (a.kind !== 'batch' || b.kind !== 'batch' || a.calls.length !== b.calls.length) return false;
  return a.calls.every((call, index) => isSameCall(call, b.calls[index])) && isSameList(a.response, b.response);
}

function isSameCall(a: SentCall, b: SentCall | undefined): boolean {
  return a.event === b?.event && a.sentId === b.sentId;
}

function isSameList(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
