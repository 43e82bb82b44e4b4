import { totalInputTokens } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import { messageOf } from '../errors.js';
import { brokenResponse, cutOffAnswer, cutOffUsage, refusalIn } from '../model/incomplete-answers.js';
import type { AskedModel } from '../model/incomplete-answers.js';
import { callModel } from '../model/model-call.js';
import type { ModelAnswer, RequestParts } from '../model/model-call.js';
import { newIdFrom } from '../new-id.js';
import type { StandingWords } from '../model/standing-words.js';
import { StreamedAnswer } from '../model/streamed-answer.js';
import type { StepContext } from './step-context.js';

/**
 * Calls the model with a view. An answer that is a refusal is emitted as a `broken-response` with its calls, which no model reads.
 *
 * @throws {@link ContentPolicyError} when the answer is a refusal; what the adapter throws.
 */
export async function askModel(view: View, words: StandingWords, step: StepContext): Promise<ModelAnswer> {
  const { tools, createEvent, emit } = step;
  const { model, prices } = step.options.llm;
  const asked: AskedModel = {
    model,
    prices,
    tools,
    estimatedInputTokens: view.tokens(),
    // Read after an interrupt alone.
    get lastInputTokens() {
      return lastInputOf(view, model);
    },
    createEvent,
  };
  const answer = await streamedAnswer(view, words, asked, step);
  const { completion, records } = answer;
  const refusal = refusalIn(completion, model, createEvent);
  if (refusal === undefined) return answer;
  await emit(...records, ...brokenResponse(refusal.piece, refusal.error.message, completion, asked));
  throw refusal.error;
}

/**
 * Calls the model, and passes its answer on as it comes. Pieces that were shown and never became complete are emitted: as a message of
 * the model when the user interrupted it, else as a `broken-response`.
 */
async function streamedAnswer(
  view: View,
  words: StandingWords,
  asked: AskedModel,
  step: StepContext,
): Promise<ModelAnswer> {
  const { createEvent, emit, onDelta, secrets, cacheWatch, signal } = step;
  const streamed =
    onDelta === undefined
      ? undefined
      : new StreamedAnswer({ onDelta, emit, secrets, broken: (...piece) => brokenResponse(...piece, asked) });
  try {
    const { onCacheDrift, instrumentation } = step.options;
    const watch = { cacheWatch, onCacheDrift, instrumentation, secrets };
    return await callModel({ ...requestParts(words, step), ...watch, view, streamed, createEvent, emit, signal });
  } catch (error) {
    await streamed?.end();
    if (signal?.aborted === true && streamed !== undefined) {
      const { counted } = streamed;
      const shown = streamed.piece();
      if (shown !== undefined) await emit(...cutOffAnswer(shown, messageOf(signal.reason), counted, asked));
      else if (counted !== undefined) await emit(cutOffUsage(counted, newIdFrom(createEvent), asked));
    }
    throw error;
  } finally {
    await streamed?.end();
  }
}

/** The input of the model's newest answer. 0 without one. Unit: tokens. */
function lastInputOf({ internalEvents }: View, model: string): number {
  for (let index = internalEvents.length - 1; index >= 0; index--) {
    const event = internalEvents.at(index);
    if (event?.type !== 'llm-usage' || event.purpose !== 'agent') continue;
    return event.model === model ? totalInputTokens(event.usage) : 0;
  }
  return 0;
}

/** What a request of this step is made of, whether the agent or its condenser sends it. */
export function requestParts(words: StandingWords, step: StepContext): RequestParts {
  const { toolDefinitions, secrets, state, render, sentPrompts } = step;
  const { llm, maxOutputTokens } = step.options;
  return {
    llm,
    words,
    log: state.log,
    render,
    tools: secrets?.tools(toolDefinitions) ?? toolDefinitions,
    maxOutputTokens,
    cacheKey: state.conversationId,
    sentPrompts,
  };
}
