import type { BegunCall, Event, TextContent } from '@palimpsest/events';
import { isMeaningful } from '@palimpsest/events';
import type { CountedUsage, Delta } from '@palimpsest/llm-adapters';
import type { SecretMask } from '../secrets/secret-mask.js';
import type { Emit } from '../step/event-sink.js';

/** What was handed out of an answer that did not become complete. */
export interface AnswerPiece {
  readonly content: readonly TextContent[];
  readonly thinking?: string;
  readonly toolCalls?: readonly BegunCall[];
}

/** Where the pieces of an answer go, and what becomes of those that are void. */
export interface StreamedAnswerOptions {
  readonly onDelta: (delta: Delta) => void;
  /** Makes the events for what came of a try that broke. */
  readonly broken: (piece: AnswerPiece, reason: string, counted: CountedUsage | undefined) => readonly Event[];
  readonly emit: Emit;
  /** @defaultValue nothing is hidden */
  readonly secrets?: SecretMask | undefined;
}

/** An answer on its way to a listener: remembers what the listener was handed, and logs it where it is void. */
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

  /** For the model. After {@link StreamedAnswer.end} nothing is handed on: a model may not hear that nobody waits. */
  readonly onDelta = (delta: Delta): void => {
    if (this.#isOver) return;
    if (delta.type === 'restart') this.#logBroken(delta.reason);
    else this.#add(delta);
    this.#options.onDelta(delta);
  };

  /** For the model. */
  readonly onUsage = (counted: CountedUsage): void => {
    this.#counted = counted;
  };

  /** What the provider has counted of the answer so far. */
  get counted(): CountedUsage | undefined {
    return this.#counted;
  }

  /** A try failed, and no adapter asks again: what was handed out is void, and the listener is told so. */
  breakOff(reason: string): void {
    const isHandedOut = this.piece() !== undefined;
    this.#logBroken(reason);
    if (isHandedOut) this.#options.onDelta({ type: 'restart', reason });
  }

  /** What was handed out of the present answer; undefined where that is nothing. Begun secrets are left out. */
  piece(): AnswerPiece | undefined {
    // The pieces of a stream may part a surrogate pair, and half of one is no text.
    const whole = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');
    const cut = (text: string): string => whole(this.#options.secrets?.cutOff(text) ?? text);
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

  /** Hands nothing on any more, and resolves when all that broke is logged. */
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

  /** Logged at once, in the order in which it happened: the next try may take long. */
  #logBroken(reason: string): void {
    // Of an answer that was counted and not begun, the input has its price.
    const piece = this.piece() ?? (this.#counted === undefined ? undefined : { content: [] });
    const events = piece === undefined ? [] : this.#options.broken(piece, reason, this.#counted);
    this.#text = this.#thinking = '';
    this.#calls.clear();
    this.#counted = undefined;
    if (events.length === 0) return;
    this.#logged = this.#logged.then(() => this.#options.emit(...events));
    // Whoever calls `end` hears of it; until then nobody listens.
    this.#logged.catch(() => undefined);
  }
}
