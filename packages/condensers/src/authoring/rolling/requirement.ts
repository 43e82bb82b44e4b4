import type { EventId } from '@palimpsest/events';
import { protectedEventIds } from '@palimpsest/view';
import type { CondenseContext, View } from '@palimpsest/view';
import type { ModelAccount } from '../definition/errors.js';
import { calibrationOf, reportIgnoredCount } from './calibration.js';

/** The reason of a condensation: too many events, too many tokens, or a request. */
export type Reason = 'events' | 'tokens' | 'request';

/**
 * The requirement of a view on a rolling condenser. `soft`: it should act; if it cannot, the agent continues without. `hard`: it must
 * act, or report that it cannot.
 */
export interface Requirement {
  readonly level: 'none' | 'soft' | 'hard';
  readonly reasons: readonly Reason[];
  /** The view's budget, if known. Unit: tokens, as the view estimates, so that both can be compared. */
  readonly tokenBudget: number | undefined;
}

/** The limits of a rolling condenser. */
export interface RequirementLimits {
  /** Unit: events. `Infinity` for none. */
  readonly maxSize: number;
  /** Unit: tokens, as the provider counts. @defaultValue none but the model's window */
  readonly maxTokens?: number | undefined;
  /** Acts at four fifths of `maxTokens`, because no call waits for the result. @defaultValue false */
  readonly isEarly?: boolean | undefined;
}

/** The protected events that count towards `maxSize`, because they do in the system that the numbers come from. */
const countedProtected = 3;

/** The start of a condensation in the background. Unit: share of `maxTokens`. */
const earlyShare = 0.8;

/** The share of a model's window that is left free, because sizes are estimates. */
const windowMargin = 0.1;

/**
 * Returns the requirement of a view. More than `maxSize` events, without the pinned ones, is soft. More tokens than `maxTokens`, or
 * than the model's window minus its answer, is hard; so is a request. The last tenth of the window is a margin in which the
 * requirement is soft; with `isEarly` the last fifth of `maxTokens` is soft too. All limits are strict: a size equal to the limit is
 * allowed. Limits are in the provider's tokens. If the log holds the ratio of the provider's tokens to the view's estimates, the
 * limits are converted; a ratio that cannot be true is reported and left out. Costs O(1); with more than `maxSize` events also a
 * search for pinned ones.
 */
export function requirementOf(view: View, context: CondenseContext, limits: RequirementLimits): Requirement {
  const room = roomInWindow(context);
  const withMargin =
    room === undefined ? undefined : Math.max(1, room - Math.ceil((context.contextWindow ?? 0) * windowMargin));
  const { maxTokens } = limits;
  const wanted =
    limits.isEarly === true && maxTokens !== undefined ? Math.max(1, Math.floor(maxTokens * earlyShare)) : maxTokens;
  reportIgnoredCount(view, context);
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

/** Returns true if a view has grown to half of its limit. A shorter session may end without a condensation. */
export function isHalfFull(view: View, { tokenBudget = Infinity }: Requirement, maxSize: number): boolean {
  return view.events.length * 2 > maxSize || view.tokens() * 2 > tokenBudget;
}

function isLongerThan(view: View, maxSize: number): boolean {
  const { length } = view.events;
  return length > maxSize && length - Math.max(0, protectedEventIds(view).size - countedProtected) > maxSize;
}

/** Returns the room for the view in the model's window. Unit: tokens. */
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

/** The input of {@link accountingOf}. */
export interface Account extends ModelAccount {
  readonly condenser: string;
  /** The reasons of the condensation, such as `events, tokens`. */
  readonly reason: string;
  /** The view that was condensed. */
  readonly view: Pick<View, 'tokens'>;
  /** The tokens removed minus the tokens added. Unit: tokens, as the view estimates. */
  readonly savedTokens: number;
  /** The view's budget. Unit: tokens, as the view estimates. @defaultValue not known */
  readonly tokenBudget?: number | undefined;
  /** The events that the summary covers, if they differ from the forgotten ones. */
  readonly coveredEventIds?: readonly EventId[] | undefined;
}

/**
 * Returns the metadata of every condensation: `condenser`, `reason`, `tokensBefore`, `tokensAfter`, and, if known, `tokenBudget`,
 * `model`, `usage`, `costUsd` and `coveredEventIds`. Plain JSON. Costs O(1).
 */
export function accountingOf(account: Account): Readonly<Record<string, unknown>> {
  const { condenser, reason, view, savedTokens, tokenBudget, coveredEventIds, model, usage, costUsd } = account;
  const tokensBefore = view.tokens();
  return {
    condenser,
    reason,
    tokensBefore,
    tokensAfter: tokensBefore - savedTokens,
    ...definedOf({ tokenBudget, model, usage, costUsd, coveredEventIds }),
  };
}

/** Returns a copy without undefined members, which JSON cannot represent. */
export function definedOf(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
