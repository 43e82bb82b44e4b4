import type { EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { ModelAccount } from '../model/model-failure.js';

/** What {@link accountingOf} is told of a condensation. */
export interface Account extends ModelAccount {
  readonly condenser: string;
  /** What made it act, such as `events, tokens`. */
  readonly reason: string;
  /** The view that was condensed. */
  readonly view: Pick<View, 'tokens'>;
  /** What goes, less what comes. Unit: tokens, as the view estimates. */
  readonly savedTokens: number;
  /** What the view may hold. Unit: tokens, as the view estimates. @defaultValue not known */
  readonly tokenBudget?: number | undefined;
  /** The events that the summary speaks of, where they are others than those that are forgotten. */
  readonly coveredEventIds?: readonly EventId[] | undefined;
}

/**
 * The metadata that every condensation carries: `condenser`, `reason`, `tokensBefore`, `tokensAfter`, and, where they are known,
 * `tokenBudget`, `model`, `usage`, `costUsd` and `coveredEventIds`. Plain JSON. Costs O(1).
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

/** The same without the members that are undefined, which JSON does not know. */
export function definedOf(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
