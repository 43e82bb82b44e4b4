import type { ContentPart, ReasoningItem, ThinkingBlock, Usage } from '@palimpsest/events';
import type { Entry } from './session-recorder.js';

/** One tool call of a response that is being read. */
export interface CallDraft {
  readonly entry: Entry;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly itemId: string | undefined;
  readonly executable: boolean;
  /** Reasoning that stood between this call and the one before it. */
  reasoningItem: ReasoningItem | undefined;
  answered: boolean;
  /** Set when the events are made. */
  eventId: string | undefined;
}

/**
 * One reply of the model, collected from as many lines as the log spread it over. It becomes a batch of actions whose first
 * carries the words and the thinking, or an assistant message when it calls nothing.
 */
export class ResponseDraft {
  readonly id: string;
  readonly entry: Entry;
  readonly thought: ContentPart[] = [];
  readonly thinkingBlocks: ThinkingBlock[] = [];
  readonly calls: CallDraft[] = [];
  reasoningContent = '';
  /** The reasoning that belongs to the first action, or to the message. */
  reasoningItem: ReasoningItem | undefined;
  usage:
    { readonly entry: Entry; readonly model: string; readonly usage: Usage; readonly costUsd?: number } | undefined;
  #waiting: ReasoningItem | undefined;

  constructor(id: string, entry: Entry) {
    this.id = id;
    this.entry = entry;
  }

  /** True when the model was called and nothing came back. */
  get isEmpty(): boolean {
    return this.calls.length === 0 && this.thought.length === 0 && !this.hasThinking;
  }

  get hasThinking(): boolean {
    return this.thinkingBlocks.length > 0 || this.reasoningContent !== '' || this.reasoningItem !== undefined;
  }

  /**
   * Takes a reasoning item: the first of the response, or one that waits for the call after it. Gives false when two had to
   * be merged, because only one can stand before an item.
   */
  addReasoning(item: ReasoningItem): boolean {
    if (this.reasoningItem === undefined) {
      this.reasoningItem = item;
      return true;
    }
    if (this.calls.length === 0) {
      this.reasoningItem = merged(this.reasoningItem, item);
      return false;
    }
    const isOnlyOne = this.#waiting === undefined;
    this.#waiting = this.#waiting === undefined ? item : merged(this.#waiting, item);
    return isOnlyOne;
  }

  addCall(call: CallDraft): void {
    call.reasoningItem = this.#waiting;
    this.#waiting = undefined;
    this.calls.push(call);
  }
}

/** Opaque content cannot be joined, so the first item's stays. */
function merged(first: ReasoningItem, second: ReasoningItem): ReasoningItem {
  const content = [...(first.content ?? []), ...(second.content ?? [])];
  return {
    ...first,
    summary: [...first.summary, ...second.summary],
    ...(content.length === 0 ? {} : { content }),
  };
}
