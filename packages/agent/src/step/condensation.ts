import { wellFormedEvent } from '@palimpsest/events';
import type { Condensation } from '@palimpsest/events';
import { condensationProblem, isCondensation, untilAborted, withCutWords } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { condenseOnce, nothingToForget, refusedAttempt } from '../condensing/condense-once.js';
import { cacheTermsOf } from '../condensing/cache-terms.js';
import { requestedFocus } from '../condensing/requested-focus.js';
import { restsAfterRevert } from '../condensing/rest-after-revert.js';
import { tokensBesideView, usableWindow } from '../condensing/window.js';
import { note } from '../notes.js';
import { noteOf, vetoOf } from '../hooks.js';
import { maxCondensationsInARow } from '../limits.js';
import { recordedCost } from '../model/call-cost.js';
import { agentRequest } from '../model/model-call.js';
import { requestParts } from './completion.js';
import type { StepContext } from './step-context.js';

/** Calls the condenser once. Emits its reports and its condensation. See `Agent.condense`. */
export async function condense(step: StepContext): Promise<View | Condensation> {
  const { view } = step.state;
  const condenser = condenserOf(step);
  if (condenser === undefined) return view;
  return observedCondensation(condenser.name, step, (observed) => condenseWith(condenser, observed));
}

/** Observes a condensation where somebody does, with the attempts that are emitted meanwhile. */
export async function observedCondensation<Result extends View | Condensation>(
  condenser: string,
  step: StepContext,
  work: (step: StepContext) => Promise<Result>,
): Promise<Result> {
  const { instrumentation } = step.options;
  if (instrumentation === undefined) return work(step);
  const { state, signal } = step;
  const { view, conversationId } = state;
  const about = { condenser, conversationId, view, viewNow: () => state.view, signal };
  const result = await instrumentation.condensation(about, (attempted) => {
    const emit: StepContext['emit'] = (...batch) => {
      for (const event of batch) if (event.type === 'condensation-attempt') attempted(event);
      return step.emit(...batch);
    };
    return work({ ...step, emit });
  });
  // The port returns what its work does.
  return result as Result;
}

async function condenseWith(condenser: Condenser, step: StepContext): Promise<View | Condensation> {
  const { state, createEvent, emit, signal, toolDefinitions, onPending } = step;
  const { llm, maxOutputTokens, condenserTimeoutMs } = step.options;
  const { view, standingWords } = state;
  const contextWindow = usableWindow(llm, maxOutputTokens);
  const fixedTokens = tokensBesideView(view, toolDefinitions, standingWords);
  const preview = restsAfterRevert(state, { contextWindow, maxOutputTokens, fixedTokens });
  const result = await condenseOnce(condenser, view, {
    createEvent,
    emit,
    viewNow: () => state.view,
    condenserTimeoutMs,
    contextWindow,
    maxOutputTokens,
    ...(fixedTokens === 0 ? {} : { fixedTokens }),
    ...cacheTermsOf(llm),
    focus: requestedFocus(view),
    agentRequest: (seen) => agentRequest(seen, requestParts(standingWords, step)),
    onPending,
    signal,
    ...(preview ? { preview } : {}),
  });
  if (!isCondensation(result)) return result;
  // A condenser that ignores `preview`.
  if (preview) return view;
  if (state.condensationsInARow >= maxCondensationsInARow) {
    const reason = `it condensed ${maxCondensationsInARow} times in a row`;
    await emitAttempt({ condenser: condenser.name, outcome: 'unsettled', reason }, result, step);
    return view;
  }
  const isVetoedOrRefused =
    (await isVetoed(result, condenser.name, step)) || (await isRefused(result, condenser, step));
  if (!isVetoedOrRefused) return emitCondensation(withCutWords(state.view, result, contextWindow), step);
  return view.unhandledCondensationRequest
    ? emitCondensation(nothingToForget(condenser.name, createEvent), step)
    : view;
}

/** The one that a request names, for that request alone; else the agent's. */
function condenserOf({ options, state, requestedCondenser }: StepContext): Condenser | undefined {
  return state.view.unhandledCondensationRequest ? (requestedCondenser?.() ?? options.condenser) : options.condenser;
}

/** Asks the hook `beforeCondensation`. A veto is emitted as an attempt, with the cost of the model call that was made. */
export async function isVetoed(condensation: Condensation, condenser: string, step: StepContext): Promise<boolean> {
  const { state, hooks, signal } = step;
  const reason = vetoOf(await untilAborted(hooks.beforeCondensation?.(condensation, state.view), signal));
  if (reason === undefined) return false;
  await emitAttempt({ condenser, outcome: 'vetoed', reason }, condensation, step);
  return true;
}

/** Emits why a condensation is not appended, with the cost of the model call that was made for it. */
async function emitAttempt(
  attempt: { readonly condenser: string; readonly outcome: string; readonly reason: string },
  { metadata }: Condensation,
  { createEvent, emit }: StepContext,
): Promise<void> {
  await emit(createEvent('condensation-attempt', { ...attempt, ...recordedCost(metadata) }));
}

/** Checks once more after the hook, which takes time: an event that came meanwhile may be pinned, or may pin others. */
async function isRefused(
  condensation: Condensation,
  condenser: Condenser,
  { state, hooks, createEvent, emit }: StepContext,
): Promise<boolean> {
  if (hooks.beforeCondensation === undefined) return false;
  const problem = condensationProblem(state.view, condensation, condenser);
  if (problem === undefined) return false;
  await emit(refusedAttempt(condenser.name, problem, condensation, createEvent));
  return true;
}

/** Emits a condensation, then the note of the hook `afterCondensation`. */
export async function emitCondensation(made: Condensation, step: StepContext): Promise<Condensation> {
  const { hooks, createEvent, emit, signal } = step;
  const condensation = wellFormedEvent(made);
  await emit(condensation);
  const remark = noteOf(await untilAborted(hooks.afterCondensation?.(condensation), signal));
  if (remark !== undefined) await emit(note(remark, createEvent));
  return condensation;
}
