import type { AssistantMessage, KnownContent, ToolCall, Usage } from '@palimpsest/events';
import { totalInputTokens } from '@palimpsest/llm-adapters';
import { answerBuilder } from '@palimpsest/llm-adapters/wire';
import type { Piece } from '@palimpsest/llm-adapters/wire';
import { textOf } from './json-shape.js';
import type { Entry } from './entry.js';

/** One tool call of a response that is being read. */
export interface CallDraft {
  readonly entry: Entry;
  readonly toolCall: ToolCall;
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
  readonly calls: CallDraft[] = [];
  usage:
    { readonly entry: Entry; readonly model: string; readonly usage: Usage; readonly costUsd?: number } | undefined;
  // Every call gets its id before it is added.
  readonly #builder = answerBuilder({ newCallId: () => '' });

  constructor(id: string, entry: Entry, providerId?: string) {
    this.id = id;
    this.entry = entry;
    this.providerId = providerId;
  }

  /** Adds pieces as a reader gives them. */
  add(...pieces: readonly Piece[]): void {
    for (const piece of pieces) this.#builder.add(piece);
  }

  /** Adds words and images. */
  say(parts: readonly KnownContent[]): void {
    this.add(...parts.map((part) => ({ type: 'content' as const, part })));
  }

  addCall(call: CallDraft): void {
    this.calls.push(call);
    this.#builder.add({ type: 'call', ...call.toolCall, path: '', value: call.toolCall });
  }

  /** What a line of the log counted for the reply. Counts that are all 0 say nothing: the call failed, or nobody counted. */
  count(entry: Entry, model: unknown, usage: Usage | undefined, costUsd?: number): void {
    if (usage === undefined || (totalInputTokens(usage) === 0 && usage.outputTokens === 0)) return;
    const cost = costUsd === undefined ? {} : { costUsd };
    this.usage = { entry, model: textOf(model) ?? 'unknown', usage, ...cost };
  }

  /** What has been added, as one message. */
  get message(): AssistantMessage {
    return this.#builder.end().message;
  }
}
