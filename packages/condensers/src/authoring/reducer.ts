import type { Condensation } from '@palimpsest/events';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';

/** What a reducer would do to a view, from sizes alone. Unit: tokens, as the view estimates. */
export interface Reduction {
  /** How much smaller the view would be. What a condensation never forgets (`keptEventIds` of `@palimpsest/view`) is not saved. */
  readonly savedTokens: number;
  /**
   * What the prompt cache would have to write again: everything behind the first change, a new summary included. The newest step is
   * not counted, because it is written anyway.
   */
  readonly rewrittenTokens: number;
  /** How many of each new token the reducer would save in the next steps: 1 if it reduces to a target. @defaultValue 1 */
  readonly savedShare?: number | undefined;
  /** The most that the reducer's own model reads, uncached. @defaultValue 0: it asks no model */
  readonly modelInputTokens?: number | undefined;
  /** The most that the reducer's own model writes. @defaultValue 0 */
  readonly modelOutputTokens?: number | undefined;
}

/**
 * A condenser that can be told when to act. {@link pricedCondenser} asks it at each step what it would save, and lets it act when
 * that pays. Used alone, it acts by its own triggers.
 *
 * 1. `estimate` is called at each step: it costs O(1), or O(new events), calls no model and writes nothing.
 * 2. `reduce` condenses now, whether or not a trigger of its own is met. It is asked only after an estimate that was not undefined. If
 *    it cannot keep what the estimate promised, it is not asked again before the view has grown by 64 events.
 * 3. Both depend on the view and the context alone.
 */
export interface Reducer extends Condenser {
  /** What `reduce` would do to this view. Undefined if it would do nothing. */
  estimate(view: View, context: CondenseContext): Reduction | undefined;
  /** @throws {@link NoCondensationAvailableError} when nothing can be condensed. */
  reduce(view: View, context: CondenseContext): Condensation | Promise<Condensation>;
}

/** True for a condenser that can be told when to act. */
export function isReducer(condenser: Condenser): condenser is Reducer {
  const { estimate, reduce } = condenser as Partial<Reducer>;
  return typeof estimate === 'function' && typeof reduce === 'function';
}
