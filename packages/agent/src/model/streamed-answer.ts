import type { BegunCall, Event, TextContent } from '@palimpsest/events';
import { isMeaningful } from '@palimpsest/events';
import type { CountedUsage, Delta } from '@palimpsest/llm-adapters';
import type { SecretMask } from '../secrets/mask.js';
import type { Emit } from '../event-sink.js';

/** The received part of an answer that did not become complete. */
export interface AnswerPiece {
  readonly content: readonly TextContent[];
  /** Why the provider ended it. Undefined if it did not. */
  readonly finishReason?: string;
  readonly thinking?: string;
  readonly toolCalls?: readonly BegunCall[];
}

/** Where the pieces of an answer go, and how a broken attempt is recorded. */
export interface StreamedAnswerOptions {
  readonly onDelta: (delta: Delta) => void;
  /** Makes the events of an attempt that broke. */
  readonly broken: (piece: AnswerPiece, reason: string, counted: CountedUsage | undefined) => readonly Event[];
  readonly emit: Emit;
  /** @defaultValue nothing is hidden */
  readonly secrets?: SecretMask | undefined;
}

/** An answer that is streamed to a listener. Remembers the pieces that were passed on, and records them if they are void. */
export class StreamedAnswer {
  readonly #options: StreamedAnswerOptions;
  #text = '';
  #thinking = '';
  readonly #calls = new Map<number, { id?: string; name?: string; arguments: string }>();
  #counted: CountedUsage | undefined;
  #isOver = false;
  #logged: Promise<void> = Promise.resolve();

  constructor(options: StreamedAnswerOptions) {
    this.#options = options;
  }

  /** Passed to the model. Ignores pieces after {@link StreamedAnswer.end}: a model may go on although nobody waits. */
  readonly onDelta = (delta: Delta): void => {
    if (this.#isOver) return;
    if (delta.type === 'restart') this.#logBroken(delta.reason);
    else this.#add(delta);
    this.#options.onDelta(delta);
  };

  /** Passed to the model. */
  readonly onUsage = (counted: CountedUsage): void => {
    this.#counted = counted;
  };

  /** The usage that the provider has counted so far. */
  get counted(): CountedUsage | undefined {
    return this.#counted;
  }

  /** An attempt failed, and the adapter does not repeat it: records the pieces, and tells the listener that they are void. */
  breakOff(reason: string): void {
    const isHandedOut = this.piece() !== undefined;
    this.#logBroken(reason);
    if (isHandedOut) this.#options.onDelta({ type: 'restart', reason });
  }

  /** The part of the present answer that was passed on; undefined if it is empty. */
  piece(): AnswerPiece | undefined {
    // A stream can be cut inside a surrogate pair.
    const cut = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');
    const content = { type: 'text' as const, text: cut(this.#text) };
    const thinking = cut(this.#thinking);
    const toolCalls = [...this.#calls.values()].map((call) => ({
      ...call,
      ...(call.name === undefined ? {} : { name: this.#options.secrets?.text(call.name) ?? call.name }),
      arguments: cut(call.arguments),
    }));
    if (!isMeaningful(content) && thinking.trim() === '' && toolCalls.length === 0) return undefined;
    return {
      content: isMeaningful(content) ? [content] : [],
      ...(thinking === '' ? {} : { thinking }),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    };
  }

  /** Passes nothing on any more. Resolves when all broken attempts are stored. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#logged;
  }

  #add(delta: Exclude<Delta, { readonly type: 'restart' }>): void {
    if (delta.type === 'text') this.#text += delta.text;
    else if (delta.type === 'thinking') this.#thinking += delta.text;
    else {
      const call = this.#calls.get(delta.index) ?? { arguments: '' };
      const { id = call.id, name = call.name } = delta;
      this.#calls.set(delta.index, { id, name, arguments: call.arguments + delta.arguments });
    }
  }

  /** Recorded at once and in order: the next attempt may take long. */
  #logBroken(reason: string): void {
    // An answer may have been counted before its first piece: its input has a cost.
    const piece = this.piece() ?? (this.#counted === undefined ? undefined : { content: [] });
    const events = piece === undefined ? [] : this.#options.broken(piece, reason, this.#counted);
    this.#text = this.#thinking = '';
    this.#calls.clear();
    this.#counted = undefined;
    if (events.length === 0) return;
    this.#logged = this.#logged.then(() => this.#options.emit(...events));
    // The caller of `end` gets the error.
    this.#logged.catch(() => undefined);
  }
}
