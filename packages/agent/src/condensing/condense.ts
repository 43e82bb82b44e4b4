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
import { messageOf } from '../errors.js';
import { noteOf, vetoOf } from '../hooks.js';
import { maxCondensationsInARow } from '../limits.js';
import { recordedCost } from '../model/call-cost.js';
import { agentRequest, requestParts } from '../model/call.js';
import { tokensBesideView, usableWindow } from '../model/composition.js';
import { note } from '../notes.prompt.js';
import type { ConversationState } from '../state.js';
import type { Emit, StepContext } from '../step.js';

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

/** The context of a condenser, and where its reports go. */
export interface CondenseOnceOptions extends Omit<CondenseContext, 'report'> {
  readonly createEvent: CreateEvent;
  /** Called once, with a `condensation-attempt` for each report in their order. */
  readonly emit: Emit;
  /** The view when the condenser has decided; the log may have grown meanwhile. @defaultValue the given view */
  readonly viewNow?: () => View;
  /** See {@link decisionOf}. @defaultValue 300000 */
  readonly condenserTimeoutMs?: number | undefined;
}

/**
 * Calls a condenser once. Its reports are emitted, also when it throws. If it must act but cannot, the result is an empty
 * condensation, which answers the request. A condenser that throws any other error, returns neither a view nor a
 * condensation, or returns one that is invalid or forgets protected events, forgets nothing: an attempt records the reason,
 * and the run goes on as long as the history fits. So does one that does not decide before the deadline.
 *
 * @throws the signal's reason, also when the condenser ignores the signal; what `emit` throws.
 */
export async function condenseOnce(
  condenser: Condenser,
  view: View,
  { createEvent, emit, viewNow = () => view, condenserTimeoutMs, ...context }: CondenseOnceOptions,
): Promise<View | Condensation> {
  const attempts: Event[] = [];
  const report = (attempt: AttemptReport): void => {
    attempts.push(createEvent('condensation-attempt', { condenser: condenser.name, ...attempt }));
  };
  const isAborted = (): boolean => context.signal?.aborted === true;
  try {
    const result = checked(await decisionOf(condenser, view, { ...context, report }, condenserTimeoutMs));
    const problem = isCondensation(result)
      ? condensationProblem(viewNow(), result, condenser)
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

/** An empty condensation: the answer to a request when nothing may be forgotten. */
export function nothingToForget(condenser: string, createEvent: CreateEvent): Condensation {
  return createEvent('condensation', {
    forgottenEventIds: [],
    metadata: { condenser, reason: 'nothing-to-forget' },
  });
}

/** The record that a condenser's result was refused, with the cost of its model call. */
export function refusedAttempt(
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

/**
 * What a condenser is told of the model's prompt cache: prices as shares of the price of an uncached input token, and how long a prefix
 * lives. Without what is not known of the model. No time: a condenser takes that of the newest event, so that a restart, a fork and a
 * replay of the log decide as the agent did.
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
 * What the user wants the condensation to keep in view that a view asks for: the focus of the newest open request of theirs. What a
 * tool or a model asked for is not the user's word.
 */
export function requestedFocus(view: View): string | undefined {
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

/** The limits of a request. Unit: tokens. */
export interface RequestRoom {
  /** Undefined if it is not known. */
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** What is sent beside the view. */
  readonly fixedTokens: number;
}

/** The share of the window that is left free, because sizes are estimates. The condensers keep the same. */
const windowMargin = 0.1;

/**
 * Whether the condenser rests, because the user has taken its last condensation back: it would make the same again. It rests until a
 * condensation is requested, by the user or after an overflow, or until the view fills the window.
 */
export function restsAfterRevert(
  { wasTakenBack, view }: Pick<ConversationState, 'wasTakenBack' | 'view'>,
  { contextWindow, maxOutputTokens = 0, fixedTokens }: RequestRoom,
): boolean {
  if (!wasTakenBack || view.unhandledCondensationRequest) return false;
  return (
    contextWindow === undefined || view.tokens() + fixedTokens + maxOutputTokens <= contextWindow * (1 - windowMargin)
  );
}
