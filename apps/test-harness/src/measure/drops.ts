import type { Prices } from './money.js';
import { dropBound, newestThatFit } from './optimum.js';
import type { SizesByCall } from './optimum.js';

/** A call before which old steps could be dropped. Unit: tokens. */
export interface PossibleDrop {
  readonly call: number;
  /** What a request is smaller by after the drop. */
  readonly saved: number;
  /** What is written again after the drop, besides the newest step, which is written anyway. */
  readonly rewritten: number;
}

/** Decides before a call whether to drop. Called in the order of the calls, at those whose request is larger than the bound. */
export type DropRule = (drop: PossibleDrop) => boolean;

/**
 * What a session costs if a rule decides when to drop the oldest steps down to `target` tokens. The reducer and the prices are those
 * of {@link leastCost}, so the difference is the price of deciding at other calls.
 */
export function costOfDrops(sizes: SizesByCall, target: number, prices: Prices, rule: DropRule): number {
  const { head, added } = sizes;
  const bound = dropBound(sizes, target);
  let cost = prices.cacheWrite * head;
  let size = head;
  for (let call = 1; call < added.length; call++) {
    const newest = added[call - 1] ?? 0;
    const [before, grown] = [size, size + newest];
    if (grown > bound) {
      const kept = newestThatFit(added, call, bound - head);
      if (rule({ call, saved: grown - head - kept, rewritten: kept - newest })) {
        cost += prices.cacheRead * head + prices.cacheWrite * kept;
        size = head + kept;
        continue;
      }
    }
    cost += prices.cacheRead * before + prices.cacheWrite * newest;
    size = grown;
  }
  return cost;
}

/**
 * The rule RENT: each call pays rent for the tokens that a drop would save, and a drop comes when the rent since the last one has
 * reached the price of writing again what stays. It knows neither the future nor the length of the session.
 *
 * @see Dooly, Goldman, Scott: TCP dynamic acknowledgment delay (STOC 1998), for why this is at most twice the optimum
 */
export function rentRule({ cacheRead, cacheWrite }: Prices): DropRule {
  let rent = 0;
  return ({ saved, rewritten }) => {
    rent += cacheRead * saved;
    if (rent < (cacheWrite - cacheRead) * rewritten) return false;
    rent = 0;
    return true;
  };
}

/** The rule that drops at given calls. */
export function ruleAtCalls(calls: readonly number[]): DropRule {
  const chosen = new Set(calls);
  return ({ call }) => chosen.has(call);
}
