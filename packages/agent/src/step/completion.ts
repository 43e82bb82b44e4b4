import type { View } from '@palimpsest/view';
import { messageOf } from '../errors.js';
import { brokenResponse, cutOffAnswer } from '../model/incomplete-answers.js';
import { callModel } from '../model/model-call.js';
import type { ModelAnswer, RequestParts } from '../model/model-call.js';
import type { StandingWords } from '../model/standing-words.js';
import { StreamedAnswer } from '../model/streamed-answer.js';
import type { StepContext } from './step-context.js';

/**
 * Calls the model with a view. Pieces of an answer that were shown and never became complete are emitted: as a message of the
 * model when the user interrupted it, else as a `broken-response`.
 */
export async function askModel(view: View, words: StandingWords, step: StepContext): Promise<ModelAnswer> {
  const { tools, createEvent, emit, onDelta, secrets, cacheWatch, signal } = step;
  const { llm, onCacheDrift } = step.options;
  const asked = { model: llm.model, tools, estimatedInputTokens: view.tokens(), createEvent };
  const streamed =
    onDelta === undefined
      ? undefined
      : new StreamedAnswer({ onDelta, emit, secrets, broken: (...piece) => brokenResponse(...piece, asked) });
  try {
    const watch = { cacheWatch, onCacheDrift };
    return await callModel({ ...requestParts(words, step), ...watch, view, streamed, createEvent, emit, signal });
  } catch (error) {
    await streamed?.end();
    const shown = signal?.aborted === true ? streamed?.piece() : undefined;
    if (shown !== undefined) await emit(...cutOffAnswer(shown, messageOf(signal?.reason), streamed?.counted, asked));
    throw error;
  } finally {
    await streamed?.end();
  }
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
