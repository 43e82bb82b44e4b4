import type { ContentPart, Message } from '@palimpsest/events';
import { ContextWindowExceededError } from './errors.js';
import type { OverflowKind, RateLimitKind } from './errors.js';
import type { Completion, CompletionRequest } from './llm.js';
import { remembering } from './memo.js';
import { estimateInputTokens, totalInputTokens } from './usage.js';
import { field } from './wire/json-fields.js';

/** The parts of a provider's refusal that decide its kind. */
interface Refusal {
  readonly statusCode?: number | undefined;
  /** The error's `code`, `type` and the like. */
  readonly codes: readonly (string | undefined)[];
  /** All messages of the error, including those of a server behind a router. */
  readonly text: string;
  /** The error object, for servers that report the sizes as fields. */
  readonly body?: unknown;
}

/** An overflow with the sizes that the provider reported. Unit: tokens. */
export interface Overflow {
  readonly kind: OverflowKind;
  readonly inputTokens?: number;
  readonly contextWindow?: number;
  /** The input and the longest answer. */
  readonly requestedTokens?: number;
}

/** The words of a request that is larger than what an account may send in a whole minute. */
const aboveLimit = /limit:? ([\d,]+)\b[^.]*?requested:? ([\d,]+)/i;

/**
 * Messages that look like an overflow but are not: limits per minute that other requests have used up, an answer longer
 * than the model gives, a string or a list that is too long, a budget.
 *
 * @see provider-rules E.1
 */
const exclusions: readonly RegExp[] = [
  /rate.?limit/i,
  /too many requests/i,
  /tokens per min/i,
  /\bTPM\b/,
  /per minute/i,
  /too many tokens, please wait/i,
  /max_tokens is too large/i,
  /maximum allowed number of output tokens/i,
  /(?:string|array) too long/i,
  /thinking.budget/i,
];

/** @see provider-rules E.2 */
const overflowCodes: readonly string[] = [
  'context_length_exceeded',
  'exceed_context_size_error',
  'model_context_window_exceeded',
];

/** @see provider-rules A.8, B.7, C.3, D and E.3 */
const overflowTexts: readonly RegExp[] = [
  /prompt (?:is )?too long/i,
  /exceeds? context limit/i,
  /exceeds? the context window/i,
  /maximum context length (?:is|of)/i,
  /exceeds?(?: the)?(?: model's)? maximum context length/i,
  /input tokens exceed the configured limit/i,
  /input token count.*exceeds the maximum/is,
  /maximum prompt length is/i,
  /reduce the length of (?:the )?messages/i,
  /exceeds? the available context size/i,
  /context length is only/i,
  /greater than the context length/i,
  /when context the overflows/i,
  /longer than the model's context length/i,
  /too large for model with/i,
  /exceeded model token limit/i,
  /context window exceeds limit/i,
  /input is too long for requested model/i,
  /range of input length should be/i,
  /prompt exceeds max length/i,
  /token.*exceeds the limit of \d+/is,
  /max_tokens must be at least 1, got -\d+/i,
];

/**
 * Limits of the number, the pages and the pixels of images and documents. A list without some of them is taken.
 *
 * @see provider-rules A.3 and E.5
 */
const mediaTexts: readonly RegExp[] = [
  /too many images/i,
  /too much media/i,
  /maximum of \d+ PDF pages/i,
  /image dimensions exceeds? max allowed size/i,
  /image exceeds? (?:max allowed size|[\d.]+ [MK]i?B maximum)/i,
  /contains \d+ (?:images|documents|files), exceeding the maximum/i,
  /at most \d+ (?:image|audio|video|file)\(?s?\)? may be provided/i,
  /limit-mm-per-prompt/i,
];

/**
 * Decides whether a refusal means that the request does not fit, and why. A single request above the limit of a minute
 * never fits: a shorter answer helps, or a shorter history. Then checks the exclusions, codes, and messages. Undefined
 * if the refusal means something else.
 *
 * @see provider-rules E
 */
export function classifyOverflow({ statusCode, codes, text, body }: Refusal): Overflow | undefined {
  if (statusCode === 429 || exclusions.some((pattern) => pattern.test(text))) return overflowOfMinute(text);
  // The provider's edge server limits the bytes of a body, and so can a proxy.
  if (statusCode === 413 || codes.includes('request_too_large')) return { kind: 'bytes' };
  if (mediaTexts.some((pattern) => pattern.test(text))) return { kind: 'bytes' };
  const isOverflow =
    codes.some((code) => code !== undefined && overflowCodes.includes(code)) ||
    overflowTexts.some((pattern) => pattern.test(text));
  return isOverflow ? sizesIn(text, body) : undefined;
}

function overflowOfMinute(text: string): Overflow | undefined {
  const [, limit = '', requested = ''] = aboveLimit.exec(text) ?? [];
  const [contextWindow, requestedTokens] = [wholeNumber(limit), wholeNumber(requested)];
  return requestedTokens > contextWindow ? { kind: 'input-and-output', contextWindow, requestedTokens } : undefined;
}

const quotaCodes: readonly string[] = [
  'insufficient_quota',
  'enforced_spend_limit_reached',
  'billing_error',
  'billing_not_active',
  'billing_hard_limit_reached',
];

/** Messages for an account without credit; some come with status 400. @see provider-rules A.1 */
const spentTexts =
  /credit balance is too low|specified (?:API )?usage limits?\b|spend(?:ing)? limits?\b|hard limit has been reached/i;

/** Returns true if the account has no credit left, so that neither waiting nor another request helps. */
export function isSpent({ statusCode, codes, text }: Refusal): boolean {
  return (
    statusCode === 402 || codes.some((code) => code !== undefined && quotaCodes.includes(code)) || spentTexts.test(text)
  );
}

/**
 * Returns the reason of a rate limit error: the account has no credit, or a limit is used up that is restored with
 * time.
 */
export function rateLimitKind(refusal: Refusal): RateLimitKind {
  return isSpent(refusal) ? 'quota' : 'rate';
}

const windowPatterns: readonly RegExp[] = [
  /maximum (?:context|prompt) length (?:is|of) \(?([\d,]+)/i,
  /too large for model with ([\d,]+)/i,
  /context length (?:is|of) only ([\d,]+)/i,
  /configured limit of ([\d,]+)/i,
  /tokens allowed \(?([\d,]+)/i,
  /model's context length \(([\d,]+)/i,
  /model token limit: ([\d,]+)/i,
  /range of input length should be \[\d+, ?([\d,]+)/i,
  /available context size \(([\d,]+)/i,
  /exceeds the limit of ([\d,]+)/i,
  /tokens > ([\d,]+) maximum/i,
  /\d \+ \d+ > ([\d,]+)/,
];

const inputPatterns: readonly RegExp[] = [
  /too long: ([\d,]+) tokens/i,
  /exceed context limit: ([\d,]+) \+/i,
  /([\d,]+) in the messages/i,
  /([\d,]+) of text input/i,
  /resulted in ([\d,]+) tokens/i,
  /contains (?:at least )?([\d,]+) (?:input )?tokens/i,
  /you passed ([\d,]+) input tokens/i,
  /input token count \(([\d,]+)\)/i,
  /prompt token count of ([\d,]+)/i,
  /the input \(([\d,]+) tokens\)/i,
  /keep the first ([\d,]+) tokens/i,
  /request \(([\d,]+) tokens\)/i,
];

/** Parts of the input besides the messages that providers list separately. */
const moreInput: readonly RegExp[] = [
  /([\d,]+) in the functions/i,
  /([\d,]+) of tool input/i,
  /([\d,]+) of image input/i,
];

const outputPatterns: readonly RegExp[] = [
  /([\d,]+) in the (?:completion|output)/i,
  /requested ([\d,]+) output tokens/i,
  /context limit: [\d,]+ \+ ([\d,]+)/i,
];

/** If the input alone fits and a requested answer does not fit beside it, the answer is too long. */
function sizesIn(text: string, body: unknown): Overflow {
  const contextWindow = numberField(body, 'n_ctx') ?? firstNumber(text, windowPatterns);
  const messages = numberField(body, 'n_prompt_tokens') ?? firstNumber(text, inputPatterns);
  const inputTokens =
    messages === undefined
      ? undefined
      : moreInput.reduce((sum, pattern) => sum + (firstNumber(text, [pattern]) ?? 0), messages);
  const answerIsTheCause =
    contextWindow !== undefined &&
    inputTokens !== undefined &&
    inputTokens < contextWindow &&
    firstNumber(text, outputPatterns) !== undefined;
  return { kind: answerIsTheCause ? 'input-and-output' : 'input', inputTokens, contextWindow };
}

function firstNumber(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const digits = pattern.exec(text)?.[1];
    if (digits !== undefined && /\d/.test(digits)) return wholeNumber(digits);
  }
  return undefined;
}

function wholeNumber(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}

function numberField(body: unknown, key: string): number | undefined {
  const value = field(body, key);
  return typeof value === 'number' ? value : undefined;
}

/**
 * The upper bound of characters per token in ordinary text: English words are shorter, and blanks are not counted.
 * Unit: non-blank characters per token.
 */
const mostCharactersPerToken = 8;
/** Shorter requests are not checked, because they are too short to judge. Unit: tokens. */
const smallestTruncation = 500;
/** The most tokens that a provider counts for one that we estimate. Beyond it the count is not that of the request. */
const mostOfEstimate = 2;

/** The known facts of a server's counts. */
interface AnsweringServer {
  readonly provider: string;
  readonly contextWindow: number | undefined;
  readonly counts: AnsweredCounts;
}

/**
 * Returns the error for an answer to a request that did not fit: some servers cut the start of the history or return an
 * empty answer, with status 200. Undefined if the answer is to the whole request, or if the count cannot be that of a
 * request: an answer is worth more than a suspicion.
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
 * The counts of one server, for servers that report only what their cache did not hold. Such a count looks like that of
 * a history that was cut. But it is far below an earlier one of the same history, and no larger than what is new.
 */
export class AnsweredCounts {
  /** The last request of each history, by its first message. */
  readonly #last = new WeakMap<Message, { readonly messages: readonly Message[]; readonly largest: number }>();
  #hasCountedParts = false;

  /** Returns true if a count is that of a part of the request. Call it once for each answer. */
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

/**
 * Returns a lower bound, not an estimate: tools and images count nothing, because each server renders them in its own
 * way.
 */
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
