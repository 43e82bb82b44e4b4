import type { EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { ModelAccount } from '../model/model-failure.js';

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
 * The metadata of every condensation: `condenser`, `reason`, `tokensBefore`, `tokensAfter`, and, if known, `tokenBudget`,
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

/** A copy without undefined members, which JSON cannot represent. */
export function definedOf(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
