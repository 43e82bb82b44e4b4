import type { Condensation } from '@palimpsest/events';
import type { CondenseContext, Condenser } from './condenser.js';
import type { View } from './view.js';

/** What a reducer would do to a view, from sizes alone. Unit: tokens, as the view estimates. */
export interface Reduction {
  /** How much smaller the view would be. What a condensation never forgets (`keptEventIds` of `@palimpsest/view`) is not saved. */
  readonly savedTokens: number;
  /**
   * What the prompt cache would have to write again: everything behind the first change, a new summary included. The newest step is
   * not counted, because it is written anyway.
   */
  readonly rewrittenTokens: number;
  /**
   * How many of each new token the reducer would save in the next steps: 1 if it reduces to a target. 0 if it saves nothing of what
   * is new, and so gains nothing by waiting: it acts at once where writing again costs nothing. @defaultValue 1
   */
  readonly savedShare?: number | undefined;
  /**
   * What the calls so far have read of `savedTokens`, without the call that is about to be made. Unit: tokens, summed over calls.
   * @defaultValue what follows from `savedShare` and the sizes of the view at the calls since the last condensation
   */
  readonly readTokens?: number | undefined;
  /** The most that the reducer's own model reads, uncached. @defaultValue 0: it asks no model */
  readonly modelInputTokens?: number | undefined;
  /** The most that the reducer's own model writes. @defaultValue 0 */
  readonly modelOutputTokens?: number | undefined;
}

/**
 * A condenser that can be told when to act. `pricedCondenser` of `@palimpsest/condensers` asks it at each step what it would save, and
 * lets it act when that pays. Used alone, it acts by its own triggers.
 *
 * 1. `estimate` is called at each step: it costs O(1), or O(new events), calls no model and writes nothing.
 * 2. `reduce` condenses now, whether or not a trigger of its own is met. It is asked only after an estimate that was not undefined. If
 *    it cannot keep what the estimate promised, it is not asked again before the view has grown by 64 events.
 * 3. `show`, where there is one, is asked before `estimate`, at each step, also for a preview.
 * 4. All depend on the view and the context alone.
 */
export interface Reducer extends Condenser {
  /**
   * The view as the model is to read it in any case, with changed copies of events. What it hides is in no ledger, so it leaves to
   * `reduce` what saves tokens. @defaultValue the view as it is
   */
  show?(view: View, context: CondenseContext): View;
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
