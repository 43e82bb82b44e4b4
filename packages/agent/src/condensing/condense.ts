import { parseEvent, wellFormedEvent } from '@palimpsest/events';
import type { Condensation, CreateEvent, Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import {
  condensationProblem,
  condensedViewProblem,
  CondenserTimeoutError,
  decisionOf,
  isCondensation,
  NoCondensationAvailableError,
  untilAborted,
  withCutWords,
} from '@palimpsest/view';
import type { AttemptReport, CondensationProblem, CondenseContext, Condenser, View } from '@palimpsest/view';
import { usableWindow } from '../agent-options.js';
import { messageOf } from '../errors.js';
import { noteOf, vetoOf } from '../hooks.js';
import { maxCondensationsInARow } from '../limits.js';
import { recordedCost } from '../model/call-cost.js';
import { agentRequest } from '../model/call.js';
import { tokensBesideView } from '../model/composition.js';
import { note } from '../notes.prompt.js';
import type { Emit, Step } from '../step.js';

/** Calls the condenser once. Emits its reports and its condensation. See `Agent.condense`. */
export async function condense(step: Step): Promise<View | Condensation> {
  const { agent, state, options } = step;
  // The one that a request names, for that request alone; else the agent's.
  const requested = state.view.unhandledCondensationRequest ? options.requestedCondenser?.() : undefined;
  const condenser = requested ?? agent.condenser;
  if (condenser === undefined) return state.view;
  return observedCondensation(condenser.name, step, (observed) => condenseWith(condenser, observed));
}

/** Runs a condensation inside the agent's instrumentation, which is told of the attempts that are emitted meanwhile. */
export async function observedCondensation<Result extends View | Condensation>(
  condenser: string,
  step: Step,
  work: (step: Step) => Promise<Result>,
): Promise<Result> {
  const { instrumentation } = step.agent;
  if (instrumentation === undefined) return work(step);
  const { state, options } = step;
  const { view, conversationId } = state;
  const about = { condenser, conversationId, view, viewNow: () => state.view, signal: options.signal };
  const result = await instrumentation.condensation(about, (attempted) => {
    const emit: Emit = (...batch) => {
      for (const event of batch) if (event.type === 'condensation-attempt') attempted(event);
      return step.emit(...batch);
    };
    return work({ ...step, emit });
  });
  // The port returns what its work does.
  return result as Result;
}

async function condenseWith(condenser: Condenser, step: Step): Promise<View | Condensation> {
  const { agent, state, options } = step;
  const { llm, maxOutputTokens, createEvent } = agent;
  const { view } = state;
  const contextWindow = usableWindow(agent);
  const fixedTokens = tokensBesideView(view, agent.toolDefinitions, state.messagesInForce);
  const preview = isPausedAfterRevert(step, { contextWindow, fixedTokens });
  const context = {
    contextWindow,
    maxOutputTokens,
    ...(fixedTokens === 0 ? {} : { fixedTokens }),
    ...cacheTermsOf(llm),
    focus: requestedFocus(view),
    agentRequest: (seen: View) => agentRequest(seen, step),
    onPending: options.onPending,
    signal: options.signal,
    ...(preview ? { preview } : {}),
  };
  const result = await decide(condenser, view, context, step);
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

/**
 * Calls a condenser. Its reports are emitted, also when it throws. If it must act but cannot, the result is an empty
 * condensation, which answers the request. A condenser that throws any other error, returns neither a view nor a
 * condensation, or returns one that is invalid or forgets protected events, forgets nothing: an attempt records the reason,
 * and the run goes on as long as the history fits. So does one that does not decide before the deadline.
 *
 * @throws the signal's reason, also when the condenser ignores the signal.
 * @throws what `emit` throws.
 */
async function decide(
  condenser: Condenser,
  view: View,
  context: Omit<CondenseContext, 'report'>,
  { agent, state, emit }: Step,
): Promise<View | Condensation> {
  const { createEvent, condenserTimeoutMs } = agent;
  const attempts: Event[] = [];
  const report = (attempt: AttemptReport): void => {
    attempts.push(createEvent('condensation-attempt', { condenser: condenser.name, ...attempt }));
  };
  const isAborted = (): boolean => context.signal?.aborted === true;
  try {
    const result = checked(await decisionOf(condenser, view, { ...context, report }, condenserTimeoutMs));
    // The log may have grown while the condenser decided.
    const problem = isCondensation(result)
      ? condensationProblem(state.view, result, condenser)
      : condensedViewProblem(view, result);
    if (problem === undefined) return result;
    attempts.push(refusedAttempt(condenser.name, problem, result, createEvent));
    return view.unhandledCondensationRequest ? nothingToForget(condenser.name, createEvent) : view;
  } catch (error) {
    if (isAborted()) throw error;
    const isUnable = NoCondensationAvailableError.isInstance(error);
    // A deadline is reported already.
    if (!CondenserTimeoutError.isInstance(error)) {
      report({ outcome: isUnable ? 'unavailable' : 'failed', reason: messageOf(error) });
    }
    return isUnable || view.unhandledCondensationRequest ? nothingToForget(condenser.name, createEvent) : view;
  } finally {
    await emit(...attempts);
  }
}

function checked(result: unknown): View | Condensation {
  const given = result as Partial<View & Condensation> | null | undefined;
  if (typeof given?.toMessages === 'function') return given as View;
  if (given?.type === 'condensation') return copied(given);
  throw new TypeError('The condenser returned neither a view nor a condensation.');
}

/**
 * Copies the result, so that nobody can change it between the check and the append. The check refuses a result that cannot be
 * copied.
 */
function copied(given: object): Condensation {
  try {
    return parseEvent(given) as Condensation;
  } catch {
    return given as Condensation;
  }
}

/** Makes an empty condensation: the answer to a request when nothing may be forgotten. */
export function nothingToForget(condenser: string, createEvent: CreateEvent): Condensation {
  return createEvent('condensation', {
    forgottenEventIds: [],
    metadata: { condenser, reason: 'nothing-to-forget' },
  });
}

/** Calls the hook `beforeCondensation`. A veto is emitted as an attempt, with the cost of the model call that was made. */
export async function isVetoed(condensation: Condensation, condenser: string, step: Step): Promise<boolean> {
  const { agent, state, options } = step;
  const reason = vetoOf(await untilAborted(agent.hooks.beforeCondensation?.(condensation, state.view), options.signal));
  if (reason === undefined) return false;
  await emitAttempt({ condenser, outcome: 'vetoed', reason }, condensation, step);
  return true;
}

/** Checks once more after the hook, which takes time: an event that came meanwhile may be pinned, or may pin others. */
async function isRefused(
  condensation: Condensation,
  condenser: Condenser,
  { agent, state, emit }: Step,
): Promise<boolean> {
  if (agent.hooks.beforeCondensation === undefined) return false;
  const problem = condensationProblem(state.view, condensation, condenser);
  if (problem === undefined) return false;
  await emit(refusedAttempt(condenser.name, problem, condensation, agent.createEvent));
  return true;
}

/** Emits why a condensation is not appended, with the cost of the model call that was made for it. */
async function emitAttempt(
  attempt: { readonly condenser: string; readonly outcome: string; readonly reason: string },
  { metadata }: Condensation,
  { agent, emit }: Step,
): Promise<void> {
  await emit(agent.createEvent('condensation-attempt', { ...attempt, ...recordedCost(metadata) }));
}

/** Makes the record that a condenser's result was refused, with the cost of its model call. */
function refusedAttempt(
  condenser: string,
  { kind, reason }: CondensationProblem,
  result: View | Condensation,
  createEvent: CreateEvent,
): Event {
  const metadata: unknown = isCondensation(result) ? result.metadata : undefined;
  const isTold = typeof metadata === 'object' && metadata !== null;
  const paid = isTold ? recordedCost(metadata as Readonly<Record<string, unknown>>) : {};
  const attempt = { condenser, outcome: `refused-${kind}`, reason };
  try {
    return createEvent('condensation-attempt', { ...attempt, ...paid });
  } catch {
    // The recorded costs may be the invalid part.
    return createEvent('condensation-attempt', attempt);
  }
}

/** Emits a condensation, then the note of the hook `afterCondensation`. */
export async function emitCondensation(made: Condensation, { agent, options, emit }: Step): Promise<Condensation> {
  const condensation = wellFormedEvent(made);
  await emit(condensation);
  const remark = noteOf(await untilAborted(agent.hooks.afterCondensation?.(condensation), options.signal));
  if (remark !== undefined) await emit(note(remark, agent.createEvent));
  return condensation;
}

/**
 * Returns the terms of the model's prompt cache for a condenser: prices as shares of the price of an uncached input
 * token, and how long a prefix lives. Without what is not known of the model. No time: a condenser takes that of the
 * newest event, so that a restart, a fork and a replay of the log decide as the agent did.
 */
export function cacheTermsOf({ prices, facts }: LLM): Pick<CondenseContext, 'prices' | 'cacheLifeMs'> {
  const { cacheLifeMs } = facts ?? {};
  const life = cacheLifeMs === undefined ? {} : { cacheLifeMs };
  if (prices === undefined || !(prices.input > 0)) return life;
  const { input, cacheRead, cacheWrite, output } = prices;
  return { ...life, prices: { read: cacheRead / input, write: cacheWrite / input, output: output / input } };
}

/** A longer focus is refused: it is a wish, not a document. Unit: characters. */
const longestFocus = 4_000;

/** @throws RangeError when it is too long. */
export function assertFocus(focus: string | undefined): void {
  if (focus === undefined || focus.length <= longestFocus) return;
  throw new RangeError(`The focus of a condensation has ${focus.length} characters; it may have ${longestFocus}.`);
}

/**
 * Returns the focus that the user gave for the requested condensation, in the newest open request. The focus of a tool
 * or a model is not the user's word.
 */
function requestedFocus(view: View): string | undefined {
  if (!view.unhandledCondensationRequest) return undefined;
  const { internalEvents } = view;
  for (let place = internalEvents.length - 1; place >= 0; place--) {
    const event = internalEvents.at(place);
    // What was asked for before was answered by it.
    if (event?.type === 'condensation') return undefined;
    if (event?.type === 'condensation-request' && event.source === 'user' && event.focus !== undefined) {
      return event.focus;
    }
  }
  return undefined;
}

/** The share of the window that is left free, because sizes are estimates. The condensers keep the same. */
const margin = 0.1;

/**
 * Reports whether the condenser pauses, because the user has reverted its last condensation: it would make the same again. It pauses
 * until a condensation is requested, by the user or after an overflow, or until the view fills the window.
 */
function isPausedAfterRevert(
  { agent, state: { wasReverted, view } }: Step,
  { contextWindow, fixedTokens }: { readonly contextWindow: number | undefined; readonly fixedTokens: number },
): boolean {
  if (!wasReverted || view.unhandledCondensationRequest) return false;
  const tokens = view.tokens() + fixedTokens + (agent.maxOutputTokens ?? 0);
  return contextWindow === undefined || tokens <= contextWindow * (1 - margin);
}
