import { isMeaningful } from '@palimpsest/events';
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
  /** What the provider called it, where that is logged. */
  readonly providerId: string | undefined;
  readonly thought: ContentPart[] = [];
  readonly thinkingBlocks: ThinkingBlock[] = [];
  readonly calls: CallDraft[] = [];
  reasoningContent = '';
  readonly reasoningItems: ReasoningItem[] = [];
  usage:
    { readonly entry: Entry; readonly model: string; readonly usage: Usage; readonly costUsd?: number } | undefined;

  constructor(id: string, entry: Entry, providerId?: string) {
    this.id = id;
    this.entry = entry;
    this.providerId = providerId;
  }

  /** True when the model was called and nothing came back. */
  get isEmpty(): boolean {
    return this.calls.length === 0 && this.thought.length === 0 && !this.hasThinking;
  }

  get hasThinking(): boolean {
    return this.thinkingBlocks.length > 0 || this.reasoningContent !== '' || this.reasoningItems.length > 0;
  }

  addThinking(block: ThinkingBlock): void {
    this.thinkingBlocks.push({ ...block, ...this.#position() });
  }

  addReasoning(item: ReasoningItem): void {
    this.reasoningItems.push({ ...item, ...this.#position() });
  }

  /** Where the next piece of thinking stands among the words, which blank text is no part of, and the calls. */
  #position(): { readonly position?: number } {
    const position = this.thought.filter(isMeaningful).length + this.calls.length;
    return position === 0 ? {} : { position };
  }
}
