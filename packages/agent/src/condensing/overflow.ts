import type { Condensation, LLMConvertibleEvent } from '@palimpsest/events';
import type { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { cutProtected, protectedEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { usableWindow } from '../agent-options.js';
import { ContextOverflowError } from '../errors.js';
import { assertCondensationAllowed, maxCondensationsInARow } from '../limits.js';
import { tokensBesideView } from '../model/composition.js';
import type { StepOutcome } from '../outcome.js';
import type { Step } from '../step.js';
import { readOutputToolName } from '../tool-calls/built-in-tools.js';
import { emitCondensation, isVetoed, observedCondensation } from './condense.js';
import { lastResort } from './last-resort.js';

/**
 * Recovers from an overflow: with a request that the condenser acts on in the next step, or with a condensation that the agent makes
 * itself.
 *
 * @param sent - the view that did not fit
 * @throws {@link ContextOverflowError} when nothing is left to forget or to cut, or the hook `beforeCondensation` vetoes it;
 *   {@link LimitExceededError} when three condensations in a row have not helped.
 */
export async function recoverFromOverflow(
  overflow: ContextWindowExceededError,
  sent: View,
  step: Step,
): Promise<StepOutcome> {
  const { llm, createEvent } = step.agent;
  const made = requestOrCondensation(overflow, sent, step);
  if (made === 'request') {
    await step.emit(createEvent('condensation-request', { reason: overflow.message }));
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

/**
 * Requests a condensation of the condenser once. If no condenser handles requests, or the history still does not fit, makes a
 * condensation. Where the protected events alone are too long, their middle is cut, the largest first.
 */
function requestOrCondensation(
  overflow: ContextWindowExceededError,
  sent: View,
  { agent, state }: Step,
): 'request' | Condensation {
  const { llm, condenser, maxOutputTokens, tools, createEvent } = agent;
  const room = roomForView({
    overflow,
    view: sent,
    contextWindow: usableWindow(agent),
    maxOutputTokens,
    fixedTokens: tokensBesideView(sent, agent.toolDefinitions, state.messagesInForce),
  });
  // A condenser with `protects: false` may forget the user's words, and then the rest fits.
  const mayForgetWords = condenser?.protects === false;
  const tooMuch = mayForgetWords ? undefined : protectedOverflow(sent, room);
  // Checked here too, because a request that nobody may act on would only fail one step later.
  assertCondensationAllowed(state.condensationsInARow, overflow);
  // How much is to be cut is known only where the room is.
  const cutTo = (others: number): Condensation | undefined =>
    room === undefined ? undefined : cutProtected(sent, others + room * protectedShare, { createEvent });
  if (tooMuch !== undefined) {
    const cut = cutTo(sent.tokens() - tooMuch.protectedTokens);
    if (cut === undefined) throw new ContextOverflowError(llm.model, overflow, tooMuch);
    return cut;
  }
  const isLast = state.condensationsInARow === maxCondensationsInARow - 1;
  const canRead = tools.has(readOutputToolName);
  const resort = (isLast: boolean): Condensation | undefined => {
    const how = { room, isLast, canRead, createEvent, ...(overflow.kind === 'bytes' ? { sizeOf: jsonSize } : {}) };
    return lastResort(sent, how) ?? (sent === state.view ? undefined : lastResort(state.view, how));
  };
  const canBeAsked = condenser?.handlesCondensationRequests === true && state.requestsInARow === 0 && !isLast;
  if (canBeAsked && (mayForgetWords || hasForgettable(sent))) return 'request';
  const made = resort(isLast) ?? resort(true) ?? cutTo(0);
  if (made === undefined) throw new ContextOverflowError(llm.model, overflow);
  return made;
}

/** The share of protected events once they are cut. The work behind them needs the rest. Unit: share of the room. */
const protectedShare = 0.5;

/** Reports whether the view has an event that may be forgotten. */
function hasForgettable(view: View): boolean {
  const kept = protectedEventIds(view);
  for (const { id } of view.events) if (!kept.has(id)) return true;
  return false;
}

/** A request that did not fit, as far as it tells how much room the view had. */
export interface RefusedRequest {
  readonly overflow: ContextWindowExceededError;
  /** The view that was sent. */
  readonly view: View;
  /** The window that the agent's model declares. Unit: tokens. */
  readonly contextWindow: number | undefined;
  /** Unit: tokens. */
  readonly maxOutputTokens: number | undefined;
  /** The size of what is sent beside the view. Unit: tokens, as the view estimates. */
  readonly fixedTokens: number;
}

/** Reserved for the answer when `maxOutputTokens` is not set: a share of the window, and at most so many tokens. */
const answerShare = 1 / 8;
const longestAnswer = 4_096;
/** The bounds of the calibration. Unit: the provider's tokens for each estimated one. */
const calibrations = { least: 0.25, most: 8 } as const;

/**
 * Returns the part of the window that is left for the view, by the provider's figures and the agent's. If they differ, that is
 * the smaller one. Undefined when the window is not known, or the request had too many bytes. Unit: tokens, as the view
 * estimates.
 */
export function roomForView(request: RefusedRequest): number | undefined {
  const { overflow, view, maxOutputTokens, fixedTokens } = request;
  const window = Math.min(overflow.contextWindow ?? Infinity, request.contextWindow ?? Infinity);
  if (window === Infinity || overflow.kind === 'bytes') return undefined;
  const answer = maxOutputTokens ?? Math.min(longestAnswer, window * answerShare);
  const estimated = view.tokens() + fixedTokens;
  const counted = overflow.inputTokens ?? estimated;
  const calibration = Math.min(calibrations.most, Math.max(calibrations.least, counted / Math.max(1, estimated)));
  return Math.max(1, Math.floor(Math.max(1, window - answer) / calibration) - fixedTokens);
}

/** A run is not ended for less, because estimates can be off by so much. Unit: times the room. */
const protectedMargin = 1.25;

/** The size of the protected events, and the room for them, when they certainly do not fit. */
export interface ProtectedOverflow {
  /** Unit: tokens, as the view estimates. */
  readonly protectedTokens: number;
  /** Unit: tokens, as the view estimates. */
  readonly room: number;
}

/** Compares the instructions, the user's words and the pinned events with the room. Undefined when they may fit. */
function protectedOverflow(view: View, room: number | undefined): ProtectedOverflow | undefined {
  if (room === undefined) return undefined;
  let protectedTokens = 0;
  for (const id of protectedEventIds(view)) {
    const index = view.indexOf(id);
    if (index !== undefined) protectedTokens += view.tokens(index, index + 1);
  }
  return protectedTokens > room * protectedMargin ? { protectedTokens, room } : undefined;
}

/** Returns the size of an event when bytes are counted: an image counts with all its data. Unit: tokens. */
export function jsonSize(event: LLMConvertibleEvent): number {
  return Math.ceil(JSON.stringify(event).length / 4);
}
