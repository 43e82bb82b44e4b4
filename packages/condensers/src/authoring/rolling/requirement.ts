import { protectedEventIds } from '@palimpsest/view';
import type { CondenseContext, View } from '@palimpsest/view';
import { calibrationOf } from './calibration.js';

/** Why a condenser acts: there are too many events, too many tokens, or somebody asked. */
export type Reason = 'events' | 'tokens' | 'request';

/**
 * What a view requires of a rolling condenser. `soft`: it should act, and goes on without when it cannot. `hard`: it must act,
 * or say that it cannot.
 */
export interface Requirement {
  readonly level: 'none' | 'soft' | 'hard';
  readonly reasons: readonly Reason[];
  /** What the view may hold, where that is known. Unit: tokens, as the view estimates, so that both can be compared. */
  readonly tokenBudget: number | undefined;
}

/** The limits of a rolling condenser. */
export interface RequirementLimits {
  /** Unit: events. `Infinity` for none. */
  readonly maxSize: number;
  /** Unit: tokens, as the provider counts. @defaultValue none but the model's window */
  readonly maxTokens?: number | undefined;
  /** Acts at four fifths of `maxTokens` already, because nobody waits. @defaultValue false */
  readonly isEarly?: boolean | undefined;
}

/** The protected events that count like any other, because they do in the system that the numbers are from. */
const countedProtected = 3;

/** Where a condensation that nobody waits for is begun. Unit: share of `maxTokens`. */
const earlyShare = 0.8;

/** The share of a model's window that is left free, because sizes are estimates. */
const windowMargin = 0.1;

/**
 * What a view requires: more than `maxSize` events, what is pinned not counted, is soft; more tokens than `maxTokens`, or than
 * the model's window less its answer holds, is hard, and so is a request. The last tenth of the window is a margin, in which it is
 * soft; with `isEarly` so is the last fifth of `maxTokens`. All limits are strict: exactly full is not too full. Limits are the provider's tokens; where the log knows how many of them the view's
 * estimates have been, they are translated. Costs O(1), and with more than `maxSize` events a look for what is pinned.
 */
export function requirementOf(view: View, context: CondenseContext, limits: RequirementLimits): Requirement {
  const room = roomInWindow(context);
  const withMargin =
    room === undefined ? undefined : Math.max(1, room - Math.ceil((context.contextWindow ?? 0) * windowMargin));
  const { maxTokens } = limits;
  const wanted =
    limits.isEarly === true && maxTokens !== undefined ? Math.max(1, Math.floor(maxTokens * earlyShare)) : maxTokens;
  const calibration = calibrationOf(view, context.fixedTokens);
  const tokenBudget = translated(minimum(wanted, withMargin), calibration);
  const hardLimit = translated(minimum(maxTokens, room), calibration);
  const tokens = view.tokens();
  const reasons: Reason[] = [];
  if (view.unhandledCondensationRequest) reasons.push('request');
  if (tokenBudget !== undefined && tokens > tokenBudget) reasons.push('tokens');
  if (isLongerThan(view, limits.maxSize)) reasons.push('events');
  const isHard = reasons.includes('request') || (hardLimit !== undefined && tokens > hardLimit);
  return { level: reasons.length === 0 ? 'none' : isHard ? 'hard' : 'soft', reasons, tokenBudget };
}

function isLongerThan(view: View, maxSize: number): boolean {
  const { length } = view.events;
  return length > maxSize && length - Math.max(0, protectedEventIds(view).size - countedProtected) > maxSize;
}

/** What of the model's window is left for the view. Unit: tokens. */
export function roomInWindow({
  contextWindow,
  maxOutputTokens = 0,
  fixedTokens = 0,
}: CondenseContext): number | undefined {
  return contextWindow === undefined ? undefined : Math.max(1, contextWindow - maxOutputTokens - fixedTokens);
}

function translated(limit: number | undefined, calibration: number): number | undefined {
  return limit === undefined ? undefined : Math.max(1, Math.floor(limit / calibration));
}

function minimum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
