import type { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import { answerToOverflow } from '../condensing/answer-to-overflow.js';
import { tokensBesideView, usableWindow } from '../condensing/window.js';
import { ContextOverflowError } from '../errors.js';
import { readOutputToolName } from '../tools/read-output-tool.js';
import { emitCondensation, isVetoed, observedCondensation } from './condensation.js';
import type { StepContext } from './step-context.js';
import type { StepOutcome } from './step-outcome.js';

/**
 * Answers an overflow: with a request that the condenser acts on in the next step, or with a condensation that the agent makes
 * itself.
 *
 * @param sent - the view that did not fit
 * @throws {@link ContextOverflowError} when nothing may be forgotten, or the hook `beforeCondensation` vetoes it.
 */
export async function makeRoom(
  overflow: ContextWindowExceededError,
  sent: View,
  step: StepContext,
): Promise<StepOutcome> {
  const { state, createEvent, tools, toolDefinitions, emit } = step;
  const { llm, condenser, maxOutputTokens } = step.options;
  const made = answerToOverflow({
    overflow,
    sent,
    state,
    model: llm.model,
    condenser,
    contextWindow: usableWindow(llm, maxOutputTokens),
    maxOutputTokens,
    fixedTokens: tokensBesideView(sent, toolDefinitions, state.standingWords),
    canRead: tools.has(readOutputToolName),
    createEvent,
  });
  if (made === 'request') {
    await emit(createEvent('condensation-request', { reason: overflow.message }));
    return { type: 'condensation-request' };
  }
  const condensation = await observedCondensation('agent', step, async (observed) => {
    if (await isVetoed(made, 'agent', observed)) {
      throw new ContextOverflowError(llm.model, overflow, { isVetoed: true });
    }
    return emitCondensation(made, observed);
  });
  return { type: 'condensation', condensation };
}
