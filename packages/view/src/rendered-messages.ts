import type {
  ActionEvent,
  AssistantMessage,
  CondensationSummaryEvent,
  LLMConvertibleEvent,
  Message,
  MessageEvent,
  SystemPromptEvent,
  ToolMessage,
} from '@palimpsest/events';
import {
  callsMessage,
  lateCallMessage,
  mergedMessage,
  systemMessage,
  toolMessage,
  wordsMessage,
} from './messages-from-view.js';
import type { RenderContext } from './messages-from-view.js';
import type { RenderOptions, ThinkingMode } from './render-options.js';
import type { SentBatch, SentCall, SentItem, SentResult } from './sent-order.js';

/** True for an event whose signed thinking no longer verifies. */
type IsStale = (id: string) => boolean;

/** The message of the calls of a response, and what it was made of. */
interface RenderedCalls {
  readonly batch: SentBatch;
  readonly message: AssistantMessage | undefined;
}

/** A message that merges others. */
interface MergedMessages {
  readonly parts: readonly Message[];
  readonly message: Message;
}

/**
 * The messages that events became with one set of options. An event and the other inputs of its message that are checked here
 * decide the message, so every view of a log gets the same object for the same content, whatever was edited around it. Nothing
 * is kept for events that no longer exist.
 */
export class RenderedMessages {
  readonly #context: RenderContext;
  readonly #systems = new WeakMap<SystemPromptEvent, Message>();
  readonly #words = new WeakMap<LLMConvertibleEvent, Message>();
  /** Answers whose signed thinking is left out because it is stale. */
  readonly #staleWords = new WeakMap<LLMConvertibleEvent, Message>();
  /** By the first call that is sent. */
  readonly #calls = new WeakMap<ActionEvent, RenderedCalls>();
  readonly #staleCalls = new WeakMap<ActionEvent, RenderedCalls>();
  readonly #lateCalls = new WeakMap<ActionEvent, AssistantMessage>();
  readonly #results = new WeakMap<LLMConvertibleEvent, ToolMessage>();
  /** By the first of the messages. */
  readonly #merged = new WeakMap<Message, MergedMessages>();

  constructor(context: RenderContext) {
    this.#context = context;
  }

  isFor({ thinking, labelObservation }: RenderContext): boolean {
    return this.#context.thinking === thinking && this.#context.labelObservation === labelObservation;
  }

  system(event: SystemPromptEvent): Message | undefined {
    return found(this.#systems, event, systemMessage);
  }

  /** Adds the messages of an item to a list. Adjacent user messages are not merged. */
  add(messages: Message[], item: SentItem, isStale: IsStale): void {
    switch (item.kind) {
      case 'words': {
        const message = this.#wordsOf(item.event, isStale);
        if (message !== undefined) messages.push(message);
        return;
      }
      case 'batch': {
        const message = this.#callsOf(item, isStale);
        if (message !== undefined) messages.push(message);
        for (const result of item.results) messages.push(this.#resultOf(result));
        return;
      }
      case 'late':
        messages.push(this.#lateCallOf(item.call), this.#resultOf(item.result));
    }
  }

  /** The message that merges adjacent user messages. */
  merged(messages: readonly Message[]): Message {
    const [first] = messages as [Message];
    const known = this.#merged.get(first);
    if (known !== undefined && isSameList(known.parts, messages)) return known.message;
    const message = mergedMessage(messages);
    this.#merged.set(first, { parts: messages, message });
    return message;
  }

  #wordsOf(event: MessageEvent | CondensationSummaryEvent, isStale: IsStale): Message | undefined {
    const stale = event.type === 'message' && this.#isLeftOut(event, isStale);
    return found(stale ? this.#staleWords : this.#words, event, () =>
      wordsMessage(event, { ...this.#context, isStale: stale }),
    );
  }

  #callsOf(batch: SentBatch, isStale: IsStale): AssistantMessage | undefined {
    const [first] = batch.calls;
    if (first === undefined) return undefined;
    const [carrier] = batch.response;
    const stale = carrier !== undefined && this.#isLeftOut(carrier, isStale);
    const rendered = stale ? this.#staleCalls : this.#calls;
    const known = rendered.get(first.event);
    if (known !== undefined && isSameAnswer(known.batch, batch)) return known.message;
    const message = callsMessage(batch, { ...this.#context, isStale: stale });
    rendered.set(first.event, { batch, message });
    return message;
  }

  #lateCallOf(call: SentCall): AssistantMessage {
    const known = this.#lateCalls.get(call.event);
    if (known?.toolCalls?.[0]?.id === call.sentId) return known;
    const message = lateCallMessage(call);
    this.#lateCalls.set(call.event, message);
    return message;
  }

  #resultOf(result: SentResult): ToolMessage {
    const known = this.#results.get(result.event);
    if (known?.toolCallId === result.sentId) return known;
    const message = toolMessage(result, this.#context);
    this.#results.set(result.event, message);
    return message;
  }

  #isLeftOut(event: ActionEvent | MessageEvent, isStale: IsStale): boolean {
    return this.#context.thinking === 'prefix-bound' && event.thinkingBlocks !== undefined && isStale(event.id);
  }
}

/** The {@link RenderedMessages} of a log for the options that were used last. */
export class LastRendering {
  #last: RenderedMessages | undefined;

  /** What was rendered with these options, or nothing yet. Other options give up what was rendered before. */
  with(thinking: ThinkingMode, labelObservation: RenderOptions['labelObservation']): RenderedMessages {
    const context = { thinking, labelObservation };
    if (this.#last?.isFor(context) !== true) this.#last = new RenderedMessages(context);
    return this.#last;
  }
}

function found<Key extends object, Value extends object>(
  known: WeakMap<Key, Value>,
  key: Key,
  make: (key: Key) => Value | undefined,
): Value | undefined {
  const old = known.get(key);
  if (old !== undefined) return old;
  const made = make(key);
  if (made !== undefined) known.set(key, made);
  return made;
}

function isSameAnswer(a: SentBatch, b: SentBatch): boolean {
  if (a === b) return true;
  if (a.calls.length !== b.calls.length) return false;
  return a.calls.every((call, index) => isSameCall(call, b.calls[index])) && isSameList(a.response, b.response);
}

function isSameCall(a: SentCall, b: SentCall | undefined): boolean {
  return a.event === b?.event && a.sentId === b.sentId;
}

function isSameList(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
