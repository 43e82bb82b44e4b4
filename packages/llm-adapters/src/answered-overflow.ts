import type { ContentPart, Message } from '@palimpsest/events';
import { ContextWindowExceededError } from './errors.js';
import type { Completion, CompletionRequest } from './llm.js';
import { remembering } from './memo.js';
import { estimateInputTokens } from './usage-estimate.js';
import { totalInputTokens } from './usage.js';

/**
 * The upper bound of characters per token in ordinary text: English words are shorter, and blanks are not counted.
 * Unit: non-blank characters per token.
 */
const mostCharactersPerToken = 8;
/** Shorter requests are not checked, because they are too short to judge. Unit: tokens. */
const smallestTruncation = 500;
/** The most tokens that a provider counts for one that we estimate. Beyond it the count is not that of the request. */
const mostOfEstimate = 2;

/** What is known of a server's counts. */
interface AnsweringServer {
  readonly provider: string;
  readonly contextWindow: number | undefined;
  readonly counts: AnsweredCounts;
}

/**
 * The error for an answer to a request that did not fit: some servers cut the start of the history or return an empty answer,
 * with status 200. Undefined if the answer is to the whole request, or if the count cannot be that of a request: an answer is worth more than a
 * suspicion.
 *
 * @see provider-rules E.4
 */
export function overflowInAnswer(
  completion: Completion,
  request: CompletionRequest,
  { provider, contextWindow, counts }: AnsweringServer,
): ContextWindowExceededError | undefined {
  if (completion.usageIsEstimated === true) return undefined;
  const inputTokens = totalInputTokens(completion.usage);
  const error = (why: string, sent: number) =>
    new ContextWindowExceededError(`${provider}: ${why}`, {
      provider,
      statusCode: 200,
      kind: 'input',
      inputTokens: sent,
      contextWindow,
    });
  const isPart = counts.isPart(request, inputTokens);
  const { messages, tools = [] } = request;
  const isPlausible = inputTokens <= mostOfEstimate * estimateInputTokens({ messages, tools });
  if (contextWindow !== undefined && inputTokens > contextWindow && isPlausible) {
    return error(`answered to ${inputTokens} tokens, more than its window of ${contextWindow}`, inputTokens);
  }
  const isEmpty = completion.finishReason === 'length' && completion.usage.outputTokens === 0;
  if (contextWindow !== undefined && isEmpty && inputTokens >= 0.99 * contextWindow) {
    return error(`no room for an answer beside ${inputTokens} tokens in a window of ${contextWindow}`, inputTokens);
  }
  const atLeast = leastTokens(request);
  if (inputTokens > 0 && atLeast >= smallestTruncation && inputTokens < atLeast && !isPart) {
    return error(`read ${inputTokens} tokens of at least ${atLeast} that were sent: it cut the history`, atLeast);
  }
  return undefined;
}

/** A server cuts a history to half of its window, and not to less. Unit: share of the largest count. */
const smallestCut = 1 / 2;

/**
 * The counts of one server, for servers that report only what their cache did not hold. Such a count looks like that of a history that was
 * cut. But it is far below an earlier one of the same history, and no larger than what is new.
 */
export class AnsweredCounts {
  /** The last request of each history, by its first message. */
  readonly #last = new WeakMap<Message, { readonly messages: readonly Message[]; readonly largest: number }>();
  #hasCountedParts = false;

  /** Whether a count is that of a part of the request. Call it once for each answer. */
  isPart({ messages }: CompletionRequest, inputTokens: number): boolean {
    const [first] = messages;
    if (first === undefined) return false;
    const last = this.#last.get(first);
    const isLonger =
      last !== undefined &&
      last.messages.length <= messages.length &&
      last.messages.every((message, index) => message === messages[index]);
    const isPart =
      isLonger &&
      inputTokens < smallestCut * last.largest &&
      inputTokens <= mostOfEstimate * estimateInputTokens({ messages: messages.slice(last.messages.length) });
    this.#hasCountedParts ||= isPart;
    this.#last.set(first, { messages: [...messages], largest: Math.max(inputTokens, isLonger ? last.largest : 0) });
    return this.#hasCountedParts;
  }
}

/** A lower bound, not an estimate: tools and images count nothing, because each server renders them in its own way. */
function leastTokens({ messages }: CompletionRequest): number {
  const characters = messages.reduce((sum, message) => sum + blackCharactersOf(message), 0);
  return Math.floor(characters / mostCharactersPerToken);
}

const blackCharactersOf = remembering((message: Message) => blackCharacters(textOf(message)));

function textOf(message: Message): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return textOfParts(message.content) + calls.map((call) => call.arguments).join('');
}

function textOfParts(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/**
 * Runs of one character, as in ruled lines, count as one: tokenizers have tokens for them. They are bounded because an engine
 * of regular expressions remembers each repetition, and the stack ends at some millions of them.
 */
function blackCharacters(text: string): number {
  return text.replace(/\s+/g, '').replace(/(.)\1{3,999}/gsu, '$1').length;
}
