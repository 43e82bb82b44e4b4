import type { Condensation, CreateEvent } from '@palimpsest/events';
import type { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { cutProtected, protectedEventIds } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import type { ConversationState } from '../conversation-state.js';
import { ContextOverflowError } from '../errors.js';
import { lastResort } from './last-resort.js';
import { assertCondensationAllowed, maxCondensationsInARow } from '../limits.js';
import { jsonSize, roomForView, protectedOverflow } from './room-for-view.js';

/** A request that did not fit, and what the agent can do about it. */
export interface OverflowOptions {
  readonly overflow: ContextWindowExceededError;
  /** The view that was sent: the condenser's, or the state's. */
  readonly sent: View;
  readonly state: ConversationState;
  readonly model: string;
  readonly condenser: Condenser | undefined;
  /** The window that the agent's model declares. Unit: tokens. */
  readonly contextWindow: number | undefined;
  /** Unit: tokens. */
  readonly maxOutputTokens: number | undefined;
  /** The size of what is sent beside the view. Unit: tokens, as the view estimates. */
  readonly fixedTokens: number;
  /** Whether the model has a tool that reads masked text. */
  readonly canRead: boolean;
  readonly createEvent: CreateEvent;
}

/**
 * Decides how an agent answers an overflow: it requests a condensation of its condenser once. If no condenser handles
 * requests, or the history still does not fit, it makes a condensation itself. Where the protected events alone are too long, their
 * middle is cut, the largest first.
 *
 * @throws {@link ContextOverflowError} when nothing is left to forget or to cut;
 *   {@link LimitExceededError} when three condensations in a row have not helped.
 */
export function answerToOverflow(options: OverflowOptions): 'request' | Condensation {
  const { overflow, sent, state, model, condenser, canRead, createEvent } = options;
  const room = roomForView({ ...options, view: sent });
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
    if (cut === undefined) throw new ContextOverflowError(model, overflow, tooMuch);
    return cut;
  }
  const isLast = state.condensationsInARow === maxCondensationsInARow - 1;
  const resort = (isLast: boolean): Condensation | undefined => {
    const how = { room, isLast, canRead, createEvent, ...(overflow.kind === 'bytes' ? { sizeOf: jsonSize } : {}) };
    return lastResort(sent, how) ?? (sent === state.view ? undefined : lastResort(state.view, how));
  };
  const canBeAsked = condenser?.handlesCondensationRequests === true && state.requestsInARow === 0 && !isLast;
  if (canBeAsked && (mayForgetWords || hasForgettable(sent))) return 'request';
  const made = resort(isLast) ?? resort(true) ?? cutTo(0);
  if (made === undefined) throw new ContextOverflowError(model, overflow);
  return made;
}

/** What protected events may take once they are cut. The work behind them needs the rest. Unit: share of the room. */
const protectedShare = 0.5;

/** Whether the view has an event that may be forgotten. */
function hasForgettable(view: View): boolean {
  const kept = protectedEventIds(view);
  for (const { id } of view.events) if (!kept.has(id)) return true;
  return false;
}
