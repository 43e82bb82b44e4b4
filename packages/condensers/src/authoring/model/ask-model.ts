import { contentPartSchema, usageSchema } from '@palimpsest/events';
import type { Completion, CompletionRequest, FinishReason, LLM } from '@palimpsest/llm-adapters';
import { ContextWindowExceededError, LLMError, wholeCalls } from '@palimpsest/llm-adapters';
import * as z from 'zod/mini';
import { withinDeadline } from './deadline.js';
import { CondenserModelError } from './model-failure.js';
import type { ModelAccount } from './model-failure.js';

/** The options of {@link askModel} besides the request. */
export interface AskOptions {
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a condenser's model; every condenser uses this function. The call is a single one, not streamed, with a deadline that
 * also holds for a model that ignores its signal. Resolves to a completion that was not cut, whose calls are whole.
 *
 * @throws {@link CondenserModelError} when the model throws, refuses, is cut off or is too slow; the signal's reason when the
 *   caller aborts.
 */
export async function askModel(
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
 * The model, usage and cost of a completion, for the metadata of a condensation. Estimated usage is left out, because it is not
 * the billed usage. Values that are not numbers are left out too.
 */
export function accountOf({ model, usage, usageIsEstimated, costUsd }: Completion): ModelAccount {
  const isCounted = usageIsEstimated !== true && usageSchema.safeParse(usage).success;
  return { model, ...(isCounted ? { usage } : {}), ...(isCost(costUsd) ? { costUsd } : {}) };
}

/** Whether the value is a valid amount: adapters and summarisers by other authors may return any value. */
export function isCost(costUsd: number | undefined): boolean {
  return typeof costUsd === 'number' && Number.isFinite(costUsd) && costUsd >= 0;
}

/** The text of a completion, without the thinking that some servers put in front of it, in a form that every provider accepts. */
export function textOf({ message }: Completion): string {
  return message.content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .toWellFormed()
    .replace(/^\s*<think>[^]*?<\/think>/, '')
    .trim();
}

/** True for text without a letter and without a digit: blank, invisible, or a row of dots. */
export function saysNothing(text: string): boolean {
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
  length: 'the answer was cut off at its longest',
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
