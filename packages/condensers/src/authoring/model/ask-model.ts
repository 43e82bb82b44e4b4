import { contentPartSchema, usageSchema } from '@palimpsest/events';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { ContextWindowExceededError, LLMError } from '@palimpsest/llm-adapters';
import * as z from 'zod/mini';
import { withinDeadline } from './deadline.js';
import { CondenserModelError } from './model-failure.js';
import type { ModelAccount } from './model-failure.js';

/** What {@link askModel} is given besides the request. */
export interface AskOptions {
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The one way in which a condenser calls a model: once, not streamed, with a deadline that holds even for a model that ignores
 * its signal. Resolves to a completion that ended by itself.
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
 * What a completion took, for the metadata of a condensation. An estimated usage is left out, since it is not what was paid, and
 * so are numbers that are none.
 */
export function accountOf({ model, usage, usageIsEstimated, costUsd }: Completion): ModelAccount {
  const isCounted = usageIsEstimated !== true && usageSchema.safeParse(usage).success;
  return { model, ...(isCounted ? { usage } : {}), ...(isCost(costUsd) ? { costUsd } : {}) };
}

/** Whether it is an amount: adapters and summarisers of others may say anything. */
export function isCost(costUsd: number | undefined): boolean {
  return typeof costUsd === 'number' && Number.isFinite(costUsd) && costUsd >= 0;
}

/** What a model said, without the thinking that some servers leave in front of it, as text that every provider takes. */
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

/** A model in plain JavaScript may answer anything. */
const answerSchema = () =>
  z.object({
    message: z.object({
      content: z.array(contentPartSchema),
      toolCalls: z.optional(z.array(z.object({ name: z.string(), arguments: z.string() }))),
    }),
  });

function assertComplete(completion: Completion, llm: LLM): void {
  if (!z.safeParse(answerSchema(), completion).success) {
    const account = { model: llm.model };
    throw new CondenserModelError('invalid', 'what the model gave is no completion with a message', { account });
  }
  const account = accountOf(completion);
  if (completion.finishReason === 'length')
    throw new CondenserModelError('truncated', 'the answer was cut off at its longest', { account });
  if (completion.finishReason === 'content-filter')
    throw new CondenserModelError('refused', 'a content filter ended the answer', { account });
}

function failureOf(error: unknown, { model }: LLM): CondenserModelError {
  if (CondenserModelError.isInstance(error)) return error;
  const account = { model };
  const reason = error instanceof Error ? error.message : String(error);
  if (ContextWindowExceededError.isInstance(error))
    return new CondenserModelError('overflow', reason, { account, cause: error });
  // Nothing that a provider says of itself changes with less to read, and where waiting helps, the adapter has waited.
  const mayRetry = !LLMError.isInstance(error);
  return new CondenserModelError('error', reason, { account, cause: error, mayRetry });
}
