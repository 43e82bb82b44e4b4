import type { Condensation, CreateEvent } from '@palimpsest/events';
import type { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { protectedEventIds } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import type { ConversationState } from '../conversation-state.js';
import { ContextOverflowError } from '../errors.js';
import { lastResort } from './last-resort.js';
import { assertCondensationAllowed, maxCondensationsInARow } from '../limits.js';
import { jsonSize, roomForView, tooMuchProtected } from './room-for-view.js';

/** A refused request, and what the agent has to answer it with. */
export interface OverflowOptions {
  readonly overflow: ContextWindowExceededError;
  /** What was sent: the condenser's view, or the state's. */
  readonly sent: View;
  readonly state: ConversationState;
  readonly model: string;
  readonly condenser: Condenser | undefined;
  /** The window that the agent knows of. Unit: tokens. */
  readonly contextWindow: number | undefined;
  /** Unit: tokens. */
  readonly maxOutputTokens: number | undefined;
  /** What is sent beside the view. Unit: tokens, as the view estimates. */
  readonly fixedTokens: number;
  /** Whether the model has the tool that reads what is masked. */
  readonly canRead: boolean;
  readonly createEvent: CreateEvent;
}

/**
 * What an agent does about an overflow: it asks its condenser, once. When there is none that handles requests, or the history
 * still does not fit, it makes a condensation itself.
 *
 * @throws {@link ContextOverflowError} when what is protected is too long by itself, or nothing is left to give up;
 *   {@link LimitExceededError} when three condensations in a row have not helped.
 */
export function answerToOverflow(options: OverflowOptions): 'request' | Condensation {
  const { overflow, sent, state, model, condenser, canRead, createEvent } = options;
  const room = roomForView({ ...options, view: sent });
  // A condenser that does not protect may forget the user's words, and then they fit.
  const mayForgetWords = condenser?.protects === false;
  const tooMuch = mayForgetWords ? undefined : tooMuchProtected(sent, room);
  if (tooMuch !== undefined) throw new ContextOverflowError(model, overflow, tooMuch);
  // Checked here too: a request that nobody may act on would only be found out one step later.
  assertCondensationAllowed(state.condensationsInARow, overflow);
  const isLast = state.condensationsInARow === maxCondensationsInARow - 1;
  const resort = (isLast: boolean): Condensation | undefined => {
    const how = { room, isLast, canRead, createEvent, ...(overflow.kind === 'bytes' ? { sizeOf: jsonSize } : {}) };
    return lastResort(sent, how) ?? (sent === state.view ? undefined : lastResort(state.view, how));
  };
  const canBeAsked = condenser?.handlesCondensationRequests === true && state.requestsInARow === 0 && !isLast;
  if (canBeAsked && (mayForgetWords || mayLose(sent))) return 'request';
  const made = resort(isLast) ?? resort(true);
  if (made === undefined) throw new ContextOverflowError(model, overflow);
  return made;
}

/** Whether there is anything that a condenser may forget. */
function mayLose(view: View): boolean {
  const kept = protectedEventIds(view);
  for (const { id } of view.events) if (!kept.has(id)) return true;
  return false;
}
