import { estimateTextTokens, isLLMConvertible, isMeaningful } from '@palimpsest/events';
import type { BegunCall, CreateEvent, Event, TextContent } from '@palimpsest/events';
import { ContentPolicyError, costOf as priceOf, endedNaturally } from '@palimpsest/llm-adapters';
import type { Completion, CountedUsage, Delta, TokenPrices } from '@palimpsest/llm-adapters';
import { note } from '../notes.prompt.js';
import type { SecretMask } from '../secrets/mask.js';
import { textOf } from '../state.js';
import { newIdFrom } from '../step.js';
import type { Emit } from '../step.js';
import type { Toolset } from '../tool-calls/call.js';
import { costOf } from './call-cost.js';
import { receivedCalls } from './received-calls.js';

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

/** The purpose of the usage of an answer that did not become complete. */
const brokenPurpose = 'broken-response';

/** The request that an incomplete answer belongs to. */
export interface AskedModel {
  readonly model: string;
  readonly tools: Toolset;
  readonly estimatedInputTokens: number;
  /** The input of the model's answer before, which its prompt cache may hold. 0 without one. Unit: tokens. */
  readonly lastInputTokens: number;
  readonly prices: TokenPrices | undefined;
  readonly createEvent: CreateEvent;
}

/** The events of an answer whose connection broke. No model reads them. */
export function brokenResponse(
  piece: AnswerPiece,
  reason: string,
  counted: CountedUsage | undefined,
  asked: AskedModel,
): readonly Event[] {
  const { model, createEvent } = asked;
  const broken = createEvent('broken-response', { ...piece, reason });
  if (counted === undefined) return [broken];
  const { usage, usageIsEstimated, ...cost } = withOutput(counted, piece, asked);
  const paid = { usage, ...(usageIsEstimated === undefined ? {} : { usageIsEstimated }), ...costOf(cost) };
  return [broken, createEvent('llm-usage', { responseId: broken.id, model, ...paid, purpose: brokenPurpose })];
}

/** An answer that is a refusal: what came of it, and the error that it is. */
export interface Refusal {
  readonly piece: AnswerPiece;
  readonly error: ContentPolicyError;
}

/**
 * The refusal that an answer is; undefined if it is none. Providers report one as an answer that ended early, with words, calls, both or
 * neither. None of its calls may be run, not even a whole one: the provider has taken the answer back.
 *
 * @param provider - named in the error
 */
export function refusalIn(completion: Completion, provider: string, createEvent: CreateEvent): Refusal | undefined {
  const { finishReason, message } = completion;
  if (finishReason !== 'content-filter') return undefined;
  const content = message.content.filter((part): part is TextContent => part.type === 'text');
  const toolCalls = receivedCalls(completion, createEvent).map(
    ({ toolCall: { id, name, arguments: text } }): BegunCall => ({ id, name, arguments: text }),
  );
  const words = textOf(content).trim();
  const told = words === '' ? 'The provider refused to answer.' : `The provider refused to answer: ${words}`;
  const piece = { content, finishReason, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
  return { piece, error: new ContentPolicyError(told, { provider }) };
}

/** How an answer ended before it was complete, after "it" or "the answer". */
export function endOfAnswer(
  { finishReason, usage, usageIsEstimated }: Completion,
  maxOutputTokens: number | undefined,
): string {
  if (finishReason === 'interrupted') return 'was broken off by the server';
  if (finishReason === 'paused') return 'was paused by the provider';
  if (finishReason !== 'length') return 'ended before it was complete';
  // An adapter's own limit is seen in what the provider counted.
  const limit = maxOutputTokens ?? (usageIsEstimated === true ? undefined : usage.outputTokens);
  return limit === undefined || limit <= 0 ? 'ended at its limit' : `ended at its limit of ${limit} tokens`;
}

/** Tells the model why a call that is not whole was not run. */
export function cutCallReason(completion: Completion, maxOutputTokens: number | undefined): string {
  if (endedNaturally(completion.finishReason)) {
    return 'This call is not complete, and nothing of it ran. Write the whole call again.';
  }
  const end = endOfAnswer(completion, maxOutputTokens);
  return `Your answer ${end}, before this call was complete. Nothing of this call ran. Send smaller parts, for instance a long file in several calls.`;
}

/** Tells the model to go on with an answer that was cut. @param end - from {@link endOfAnswer} */
export function incompleteAnswerNote(end: string, hasWords: boolean): string {
  return hasWords
    ? `Your last response was cut off: it ${end}. Go on exactly where it ends, and repeat nothing: the parts are read as one answer.`
    : `Your last response was cut off before its first word: it ${end}. Answer in fewer words, or take a smaller step.`;
}

/** Whether an event is one of {@link brokenResponse}: these are appended while the next attempt is under way. */
export function isBrokenResponse(event: Event): boolean {
  return event.type === 'broken-response' || (event.type === 'llm-usage' && event.purpose === brokenPurpose);
}

/** The events of an answer that the user interrupted after a part of it was shown. The model reads that it was cut off. */
export function cutOffAnswer(
  piece: AnswerPiece,
  reason: string,
  counted: CountedUsage | undefined,
  asked: AskedModel,
): readonly Event[] {
  const { content, ...begun } = piece;
  const { tools, createEvent } = asked;
  const llmResponseId = newIdFrom(createEvent);
  const message = createEvent('message', {
    source: 'agent',
    role: 'assistant',
    content,
    llmResponseId,
    cutOff: { reason, ...begun },
  });
  const calls = (begun.toolCalls ?? []).map(({ name }) => (name !== undefined && tools.has(name) ? name : undefined));
  const events = [message, note(cutOffNote(textOf(content) !== '', calls), createEvent)];
  const used = counted === undefined ? estimated(piece, asked) : withOutput(counted, piece, asked);
  return [cutOffUsage(used, llmResponseId, asked), ...events];
}

/** The usage of an answer that the user interrupted. */
export function cutOffUsage(
  { usage, usageIsEstimated, ...cost }: UsedUsage,
  responseId: string,
  { model, estimatedInputTokens, createEvent }: Omit<AskedModel, 'tools'>,
): Event {
  const paid = { usage, ...(usageIsEstimated === undefined ? {} : { usageIsEstimated }), ...costOf(cost) };
  return createEvent('llm-usage', { responseId, model, ...paid, estimatedInputTokens, purpose: 'agent' });
}

/** Usage, and whether a part of it is estimated. */
type UsedUsage = CountedUsage & { readonly usageIsEstimated?: true };

/** What was counted, and the output that came since: providers that count at the beginning count the output at the end. */
function withOutput(counted: CountedUsage, piece: AnswerPiece, { prices }: AskedModel): UsedUsage {
  const { usage, costUsd } = counted;
  const outputTokens = outputOf(piece);
  const missing = outputTokens - usage.outputTokens;
  if (missing <= 0) return counted;
  const none = { uncachedInputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const more = prices === undefined ? 0 : priceOf({ ...none, outputTokens: missing }, prices);
  const cost = costUsd === undefined ? {} : { costUsd: costUsd + more };
  return { usage: { ...usage, outputTokens }, usageIsEstimated: true, ...cost };
}

function outputOf({ content, thinking = '', toolCalls = [] }: AnswerPiece): number {
  const texts = [textOf(content), thinking, ...toolCalls.map((call) => call.arguments)];
  return Math.ceil(texts.reduce((sum, text) => sum + estimateTextTokens(text), 0));
}

/** For providers that count at the end alone: what they have read and written they bill. */
function estimated(
  piece: AnswerPiece,
  { estimatedInputTokens, lastInputTokens, prices }: AskedModel,
): CountedUsage & { readonly usageIsEstimated: true } {
  const usage = {
    uncachedInputTokens: Math.max(0, estimatedInputTokens - lastInputTokens),
    cacheReadTokens: lastInputTokens,
    cacheWriteTokens: 0,
    outputTokens: outputOf(piece),
  };
  return { usage, usageIsEstimated: true, ...(prices === undefined ? {} : { costUsd: priceOf(usage, prices) }) };
}

/** The note that is missing behind a cut-off answer, in logs whose writer died between the two. */
export function missingCutOffNote(events: readonly Event[], createEvent: CreateEvent): readonly Event[] {
  const last = events.findLast(isLLMConvertible);
  if (last?.type !== 'message' || last.cutOff === undefined || last.cutOff.finishReason === 'paused') return [];
  const calls = (last.cutOff.toolCalls ?? []).map(() => undefined);
  return [note(cutOffNote(textOf(last.content) !== '', calls), createEvent)];
}

/** @param calls - the names of the tools of the begun calls; undefined for an unknown tool */
function cutOffNote(hasWords: boolean, calls: readonly (string | undefined)[]): string {
  const where = hasWords
    ? 'Your last response was interrupted before it was complete, and ends where it was cut off.'
    : 'Your last response was interrupted before its first word.';
  if (calls.length === 0) return where;
  const named = [...new Set(calls.filter((name) => name !== undefined))].map((name) => `'${name}'`).join(', ');
  const of = named === '' ? '' : ` of ${named}`;
  return calls.length === 1
    ? `${where} The call${of} that it had begun was not carried out.`
    : `${where} The ${calls.length} calls${of} that it had begun were not carried out.`;
}
