import { contentPartSchema, usageSchema } from '@palimpsest/events';
import type { Condensation } from '@palimpsest/events';
import { ContextWindowExceededError, LLMError, wholeCalls } from '@palimpsest/llm-adapters';
import type { Completion, CompletionRequest, FinishReason, LLM } from '@palimpsest/llm-adapters';
import type { Template } from '@palimpsest/templates';
import type { CondenseContext } from '@palimpsest/view';
import * as z from 'zod/mini';
import { CondenserModelError } from '../definition/errors.js';
import type { ModelAccount } from '../definition/errors.js';
import { objectWith, wholeNumber } from '../definition/option-schemas.js';
import { reportAttempt } from '../rolling/rolling-condenser.js';
import type { Prompt } from './prompt.js';

/** The options of {@link callModel} besides the request. */
export interface AskOptions {
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a condenser's model. Every condenser uses this function. The call is a single one, not streamed, with a
 * deadline that also holds for a model that ignores its signal. Resolves to a completion that was not cut, whose calls
 * are whole.
 *
 * @throws {@link CondenserModelError} when the model throws, refuses, is cut off or is too slow; the signal's reason when the
 *   caller aborts.
 */
export async function callModel(
  llm: LLM,
  request: Omit<CompletionRequest, 'signal' | 'onDelta'>,
  { timeoutMs, signal }: AskOptions,
): Promise<Completion> {
  try {
    const completion = await withinDeadline({ timeoutMs, signal, model: llm.model }, (until) =>
      llm.complete({ ...request, signal: until }),
    );
    assertComplete(completion, llm);
    return completion;
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw failureOf(error, llm);
  }
}

/**
 * Returns the model, usage and cost of a completion, for the metadata of a condensation. Estimated usage is left out, because it is not
 * the billed usage. Values that are not numbers are left out too.
 */
export function accountOf({ model, usage, usageIsEstimated, costUsd }: Completion): ModelAccount {
  const isCounted = usageIsEstimated !== true && usageSchema.safeParse(usage).success;
  return { model, ...(isCounted ? { usage } : {}), ...(isCost(costUsd) ? { costUsd } : {}) };
}

/** Returns true if the value is a valid amount: adapters and summarisers by other authors may return any value. */
export function isCost(costUsd: number | undefined): boolean {
  return typeof costUsd === 'number' && Number.isFinite(costUsd) && costUsd >= 0;
}

/** Returns the text of a completion, without the thinking that some servers put in front of it, in a form that every provider accepts. */
export function textOf({ message }: Completion): string {
  return message.content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .toWellFormed()
    .replace(/^\s*<think>[^]*?<\/think>/, '')
    .trim();
}

/** Returns true for text without a letter and without a digit: blank, invisible, or a row of dots. */
export function isBlankAnswer(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text);
}

/** A model in plain JavaScript may return any value. */
const answerSchema = /* @__PURE__ */ once(() =>
  z.object({
    message: z.object({
      content: z.array(contentPartSchema),
      toolCalls: z.optional(z.array(z.object({ name: z.string(), arguments: z.string() }))),
    }),
  }),
);

/** Makes a value when it is first asked for. */
function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/** The reasons for which an answer ends before it is complete. */
const cuts: Readonly<Partial<Record<FinishReason, string>>> = {
  length: 'the answer reached its length limit',
  interrupted: 'the server broke the answer off',
  paused: 'the provider paused the answer',
};

function assertComplete(completion: Completion, llm: LLM): void {
  if (!z.safeParse(answerSchema(), completion).success) {
    const account = { model: llm.model };
    throw new CondenserModelError('invalid', 'what the model gave is no completion with a message', { account });
  }
  const account = accountOf(completion);
  const { finishReason } = completion;
  if (finishReason === 'content-filter')
    throw new CondenserModelError('refused', 'a content filter ended the answer', { account });
  const cut = cuts[finishReason];
  if (cut !== undefined) throw new CondenserModelError('truncated', cut, { account });
  if (wholeCalls(completion).includes(false))
    throw new CondenserModelError('truncated', 'a call of the answer was cut off', { account });
}

function failureOf(error: unknown, { model }: LLM): CondenserModelError {
  if (CondenserModelError.isInstance(error)) return error;
  const account = { model };
  const reason = error instanceof Error ? error.message : String(error);
  if (ContextWindowExceededError.isInstance(error))
    return new CondenserModelError('overflow', reason, { account, cause: error });
  // Other provider errors do not depend on the prompt's length, and the adapter has already retried those that pass with time.
  const mayRetry = !LLMError.isInstance(error);
  return new CondenserModelError('error', reason, { account, cause: error, mayRetry });
}

/** A timer with a longer delay fires immediately. Unit: milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** The time limit of some work. */
export interface Deadline {
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  /** An abort of this signal also ends the work. */
  readonly signal?: AbortSignal | undefined;
  /** The name of the work's owner, for the error. */
  readonly model: string | undefined;
}

/**
 * Returns the result of some work if it arrives before the deadline. At the deadline, or when the caller aborts, the work is
 * abandoned, even if it ignores its signal.
 *
 * @throws {@link CondenserModelError} of kind `timeout` at the deadline; the signal's reason when the caller aborts; otherwise
 *   the work's own error.
 */
export async function withinDeadline<Result>(
  { timeoutMs, signal, model }: Deadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const call = new AbortController();
  const timer = setTimeout(() => call.abort(tooLate(timeoutMs, model)), Math.min(timeoutMs, longestTimer));
  const passOn = (): void => call.abort(signal?.reason);
  signal?.addEventListener('abort', passOn, { once: true });
  try {
    const stopped = new Promise<never>((_, reject) => {
      call.signal.addEventListener('abort', () => reject(call.signal.reason as Error), { once: true });
    });
    return await Promise.race([work(call.signal), stopped]);
  } catch (error) {
    throw call.signal.aborted ? call.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', passOn);
  }
}

function tooLate(timeoutMs: number, model: string | undefined): CondenserModelError {
  return new CondenserModelError('timeout', `there was no answer within ${timeoutMs} ms`, {
    account: { model },
    // A retry would make the user wait again.
    mayRetry: false,
  });
}

/** The size of the prompt after a failed try. Unit: share of the previous one. */
const scaleOfNextTry = 0.8;
const scaleAfterOverflow = 0.5;

/** The number of tries to make, and for which failures. */
export interface Tries {
  readonly most: number;
  readonly isWorthIt: (failure: CondenserModelError) => boolean;
  /** The share of its input that the first try gives the model. @defaultValue 1 */
  readonly scale?: number | undefined;
}

/** Retries with ever shorter input. The cost of each try except the last is reported, so that the log records it. */
export async function tryAgain(
  { most, isWorthIt, scale = 1 }: Tries,
  condenser: string,
  context: CondenseContext,
  make: (scale: number) => Promise<Condensation>,
): Promise<Condensation> {
  for (let attempt = 1, share = scale; ; attempt++) {
    try {
      return await make(share);
    } catch (error) {
      if (!CondenserModelError.isInstance(error) || attempt >= most || !isWorthIt(error)) throw error;
      const { kind, account, message } = error;
      const data = { condenser, kind, attempt, inputScale: share, ...account };
      reportAttempt(context, { outcome: 'retried', reason: message, data });
      share = nextScale(share, error);
    }
  }
}

/** Returns the input of the next try: shorter, and half if the last prompt was too long. */
export function nextScale(scale: number, { kind }: CondenserModelError): number {
  return scale * (kind === 'overflow' ? scaleAfterOverflow : scaleOfNextTry);
}

/** The settings of a condenser's model call. */
export interface ModelCallOptions {
  /**
   * The prompt: the text of a Jinja template, a template loaded by `loadTemplate` of `@palimpsest/templates`, or a function.
   * @defaultValue the condenser's own template
   */
  readonly prompt?: string | Template | Prompt | undefined;
  /** Longer events are cut in the middle. Unit: characters, at least 100. @defaultValue 10000; 2000 for a ranking */
  readonly maxEventCharacters?: number | undefined;
  /** The limit of the answer, thinking included. Unit: tokens. @defaultValue the adapter's limit */
  readonly maxOutputTokens?: number | undefined;
  /** The deadline of one call. Unit: milliseconds. @defaultValue 120000 */
  readonly timeoutMs?: number | undefined;
}

/** Returns the schemas of {@link ModelCallOptions}. */
export function modelCallOptions(maxEventCharacters: number): {
  readonly prompt: z.ZodMiniOptional<
    z.ZodMiniUnion<[z.ZodMiniString<string>, z.ZodMiniCustom<Template, Template>, z.ZodMiniCustom<Prompt, Prompt>]>
  >;
  readonly maxEventCharacters: z.ZodMiniDefault<z.ZodMiniNumberFormat>;
  readonly maxOutputTokens: z.ZodMiniOptional<z.ZodMiniNumberFormat>;
  readonly timeoutMs: z.ZodMiniDefault<z.ZodMiniNumberFormat>;
} {
  const isPrompt = (value: unknown): boolean => typeof value === 'function';
  return {
    prompt: z.optional(
      z.union([z.string(), objectWith<Template>('render'), z.custom<Prompt>(isPrompt)], {
        error: 'must be the text of a template, a loaded template, or a function',
      }),
    ),
    maxEventCharacters: z._default(wholeNumber(100), maxEventCharacters),
    maxOutputTokens: z.optional(wholeNumber(1)),
    timeoutMs: timeoutMs(),
  };
}

/** Returns the schema of a model's or summariser's deadline. Unit: milliseconds. */
export function timeoutMs(): z.ZodMiniDefault<z.ZodMiniNumberFormat> {
  return z._default(wholeNumber(1), 120_000);
}
