import type { AssistantMessage, KnownContent, ToolCall, Usage } from '@palimpsest/events';
import { totalInputTokens } from '@palimpsest/llm-adapters';
import { AnswerBuilder } from '@palimpsest/llm-adapters/wire';
import type { Piece } from '@palimpsest/llm-adapters/wire';
import { textOf } from './json-shape.js';
import type { Entry } from './entry.js';

/** A tool call of the response being read. */
export interface CallDraft {
  readonly entry: Entry;
  readonly toolCall: ToolCall;
  readonly executable: boolean;
  answered: boolean;
  /** Set when the events are made. */
  eventId: string | undefined;
}

/**
 * One reply of the model, collected from one or more lines of the log. It becomes a batch of actions; the first action
 * carries the text and the thinking. A reply without calls becomes an assistant message.
 */
export class ResponseDraft {
  readonly id: string;
  readonly entry: Entry;
  /** The provider's id of the response, if logged. */
  readonly providerId: string | undefined;
  readonly calls: CallDraft[] = [];
  usage:
    { readonly entry: Entry; readonly model: string; readonly usage: Usage; readonly costUsd?: number } | undefined;
  // Every call has an id before it is added.
  readonly #builder = new AnswerBuilder({ newCallId: () => '' });

  constructor(id: string, entry: Entry, providerId?: string) {
    this.id = id;
    this.entry = entry;
    this.providerId = providerId;
  }

  /** Adds the pieces that a reader returns. */
  add(...pieces: readonly Piece[]): void {
    for (const piece of pieces) this.#builder.add(piece);
  }

  /** Adds text and images. */
  say(parts: readonly KnownContent[]): void {
    this.add(...parts.map((part) => ({ type: 'content' as const, part })));
  }

  addCall(call: CallDraft): void {
    this.calls.push(call);
    this.#builder.add({ type: 'call', ...call.toolCall, path: '', value: call.toolCall });
  }

  /** Sets the usage of the reply from a line of the log. Ignores counts that are all 0: the call failed or was not counted. */
  count(entry: Entry, model: unknown, usage: Usage | undefined, costUsd?: number): void {
    if (usage === undefined || (totalInputTokens(usage) === 0 && usage.outputTokens === 0)) return;
    const cost = costUsd === undefined ? {} : { costUsd };
    this.usage = { entry, model: textOf(model) ?? 'unknown', usage, ...cost };
  }

  /** All added parts as one message. */
  get message(): AssistantMessage {
    return this.#builder.end().message;
  }
}
