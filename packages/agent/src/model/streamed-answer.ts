import { estimateTextTokens, isLLMConvertible, isMeaningful } from '@palimpsest/events';
import type { BegunCall, CreateEvent, Event, TextContent } from '@palimpsest/events';
import { costOf as priceOf, totalInputTokens } from '@palimpsest/llm-adapters';
import type { CountedUsage, Delta } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import { cutOffNote, note } from '../notes.prompt.js';
import { textOf } from '../state.js';
import { newIdFrom } from '../step.js';
import type { Step } from '../step.js';
import { costOf } from './call-cost.js';

/** The received part of an answer that did not become complete. */
export interface AnswerPiece {
  readonly content: readonly TextContent[];
  /** The reason why the provider ended it. Undefined if it did not. */
  readonly finishReason?: string;
  readonly thinking?: string;
  readonly toolCalls?: readonly BegunCall[];
}

/** An answer that is streamed to a listener. Remembers the pieces that were passed on, and records them if they are void. */
export class StreamedAnswer {
  readonly #listener: (delta: Delta) => void;
  readonly #step: Step;
  #text = '';
  #thinking = '';
  readonly #calls = new Map<number, { id?: string; name?: string; arguments: string }>();
  #counted: CountedUsage | undefined;
  #isOver = false;
  #logged: Promise<void> = Promise.resolve();

  constructor(onDelta: (delta: Delta) => void, step: Step) {
    this.#listener = onDelta;
    this.#step = step;
  }

  /** Passed to the model. Ignores pieces after {@link StreamedAnswer.end}: a model may go on although nobody waits. */
  readonly onDelta = (delta: Delta): void => {
    if (this.#isOver) return;
    if (delta.type === 'restart') this.#logBroken(delta.reason);
    else this.#add(delta);
    this.#listener(delta);
  };

  /** Passed to the model. */
  readonly onUsage = (counted: CountedUsage): void => {
    this.#counted = counted;
  };

  /** The usage that the provider has counted so far. */
  get counted(): CountedUsage | undefined {
    return this.#counted;
  }

  /** Records the pieces of a failed attempt that the adapter does not repeat, and tells the listener that they are void. */
  breakOff(reason: string): void {
    const isHandedOut = this.piece() !== undefined;
    this.#logBroken(reason);
    if (isHandedOut) this.#listener({ type: 'restart', reason });
  }

  /** Returns the part of the present answer that was passed on; undefined if it is empty. */
  piece(): AnswerPiece | undefined {
    // A stream can be cut inside a surrogate pair.
    const cut = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');
    const content = { type: 'text' as const, text: cut(this.#text) };
    const thinking = cut(this.#thinking);
    const toolCalls = [...this.#calls.values()].map((call) => ({
      ...call,
      ...(call.name === undefined ? {} : { name: this.#step.options.secrets?.text(call.name) ?? call.name }),
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
    const events = piece === undefined ? [] : brokenResponse(piece, reason, this.#counted, this.#step);
    this.#text = this.#thinking = '';
    this.#calls.clear();
    this.#counted = undefined;
    if (events.length === 0) return;
    this.#logged = this.#logged.then(() => this.#step.emit(...events));
    // The caller of `end` gets the error.
    this.#logged.catch(() => undefined);
  }
}

/** The purpose of the usage of an answer that did not become complete. */
const brokenPurpose = 'broken-response';

/** Makes the events of an answer whose connection broke. No model reads them. */
export function brokenResponse(
  piece: AnswerPiece,
  reason: string,
  counted: CountedUsage | undefined,
  { agent: { llm, createEvent } }: Step,
): readonly Event[] {
  const broken = createEvent('broken-response', { ...piece, reason });
  if (counted === undefined) return [broken];
  const paid = paidFields(withOutput(counted, piece, llm.prices));
  return [
    broken,
    createEvent('llm-usage', { responseId: broken.id, model: llm.model, ...paid, purpose: brokenPurpose }),
  ];
}

/** Reports whether an event is one of {@link brokenResponse}: these are appended while the next attempt is under way. */
export function isBrokenResponse(event: Event): boolean {
  return event.type === 'broken-response' || (event.type === 'llm-usage' && event.purpose === brokenPurpose);
}

/**
 * Makes the events of an answer that the user interrupted. The model reads the part that was shown, and that it was cut off. If
 * nothing was shown, only what was counted is recorded.
 */
export function interruptedAnswer(streamed: StreamedAnswer, reason: string, view: View, step: Step): readonly Event[] {
  const { counted } = streamed;
  const piece = streamed.piece();
  const { llm, tools, createEvent } = step.agent;
  const usage = (used: UsedUsage, responseId: string): Event =>
    createEvent('llm-usage', {
      responseId,
      model: llm.model,
      ...paidFields(used),
      estimatedInputTokens: view.tokens(),
      purpose: 'agent',
    });
  if (piece === undefined) return counted === undefined ? [] : [usage(counted, newIdFrom(createEvent))];
  const { content, ...begun } = piece;
  const llmResponseId = newIdFrom(createEvent);
  const message = createEvent('message', {
    source: 'agent',
    role: 'assistant',
    content,
    llmResponseId,
    cutOff: { reason, ...begun },
  });
  const calls = (begun.toolCalls ?? []).map(({ name }) => (name !== undefined && tools.has(name) ? name : undefined));
  const told = note(cutOffNote(textOf(content) !== '', calls), createEvent);
  const used = counted === undefined ? estimated(piece, view, step) : withOutput(counted, piece, llm.prices);
  return [usage(used, llmResponseId), message, told];
}

/** Makes the note that is missing behind a cut-off answer, in logs whose writer died between the two. */
export function missingCutOffNote(events: readonly Event[], createEvent: CreateEvent): readonly Event[] {
  const last = events.findLast(isLLMConvertible);
  if (last?.type !== 'message' || last.cutOff === undefined || last.cutOff.finishReason === 'paused') return [];
  const calls = (last.cutOff.toolCalls ?? []).map(() => undefined);
  return [note(cutOffNote(textOf(last.content) !== '', calls), createEvent)];
}

/** Usage, and whether a part of it is estimated. */
type UsedUsage = CountedUsage & { readonly usageIsEstimated?: true };

function paidFields({ usage, usageIsEstimated, ...cost }: UsedUsage) {
  return { usage, ...(usageIsEstimated === undefined ? {} : { usageIsEstimated }), ...costOf(cost) };
}

/** Adds the output that came after the counting: providers that count at the beginning count the output at the end. */
function withOutput(counted: CountedUsage, piece: AnswerPiece, prices: Step['agent']['llm']['prices']): UsedUsage {
  const { usage, costUsd } = counted;
  const outputTokens = outputOf(piece);
  const missing = outputTokens - usage.outputTokens;
  if (missing <= 0) return counted;
  const none = { uncachedInputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const more = prices === undefined ? 0 : priceOf({ ...none, outputTokens: missing }, prices);
  const cost = costUsd === undefined ? {} : { costUsd: costUsd + more };
  return { usage: { ...usage, outputTokens }, usageIsEstimated: true, ...cost };
}

/** Estimates the usage for providers that count at the end alone: what they have read and written they bill. */
function estimated(piece: AnswerPiece, view: View, { agent: { llm } }: Step): UsedUsage {
  const lastInputTokens = lastInputOf(view, llm.model);
  const usage = {
    uncachedInputTokens: Math.max(0, view.tokens() - lastInputTokens),
    cacheReadTokens: lastInputTokens,
    cacheWriteTokens: 0,
    outputTokens: outputOf(piece),
  };
  const cost = llm.prices === undefined ? {} : { costUsd: priceOf(usage, llm.prices) };
  return { usage, usageIsEstimated: true, ...cost };
}

/** Returns the input of the model's answer before, which its prompt cache may hold. 0 without one. Unit: tokens. */
function lastInputOf({ internalEvents }: View, model: string): number {
  for (let index = internalEvents.length - 1; index >= 0; index--) {
    const event = internalEvents.at(index);
    if (event?.type !== 'llm-usage' || event.purpose !== 'agent') continue;
    return event.model === model ? totalInputTokens(event.usage) : 0;
  }
  return 0;
}

function outputOf({ content, thinking = '', toolCalls = [] }: AnswerPiece): number {
  const texts = [textOf(content), thinking, ...toolCalls.map((call) => call.arguments)];
  return Math.ceil(texts.reduce((sum, text) => sum + estimateTextTokens(text), 0));
}
