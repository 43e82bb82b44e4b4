import type { Prices } from './money.js';
import type { RecordedSession } from './recorded-session.js';

/** A call before which old steps could be dropped. Unit: tokens. */
export interface PossibleDrop {
  readonly call: number;
  /** What a request is smaller by after the drop. */
  readonly saved: number;
  /** What is written again after the drop, besides the newest step, which is written anyway. */
  readonly rewritten: number;
  /** What all calls so far, this one included, cost with the drop, and what they would have cost with none. Unit: that of the prices. */
  readonly paid: number;
  readonly undropped: number;
}

/**
 * A rule that decides before a call whether to drop. It is called in the order of the calls, at those whose request is
 * larger than the bound.
 */
export type DropRule = (drop: PossibleDrop) => boolean;

/**
 * Returns the cost of a session if a rule decides when to drop the oldest steps down to `target` tokens. The reducer
 * and the prices are those of {@link leastCost}, so the difference is the price of deciding at other calls.
 */
export function costOfDrops(sizes: SizesByCall, target: number, prices: Prices, rule: DropRule): number {
  const { head, added } = sizes;
  const bound = dropBound(sizes, target);
  const undropped = costsUncondensed(sizes, prices);
  let cost = prices.cacheWrite * head;
  let size = head;
  for (let call = 1; call < added.length; call++) {
    const newest = added[call - 1] ?? 0;
    const [before, grown] = [size, size + newest];
    if (grown > bound) {
      const kept = newestThatFit(added, call, bound - head);
      const paid = cost + prices.cacheRead * head + prices.cacheWrite * kept;
      const [saved, rewritten] = [grown - head - kept, kept - newest];
      if (rule({ call, saved, rewritten, paid, undropped: undropped[call] ?? 0 })) {
        cost = paid;
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
 * Returns the rule RENT: each call pays rent for the tokens that a drop would save, and a drop comes when the rent
 * since the last one has reached the price of writing again what stays. It knows neither the future nor the length of
 * the session. With a tolerance a drop also waits until the session may end with it: see {@link isInsured}.
 *
 * @see Dooly, Goldman, Scott: TCP dynamic acknowledgment delay (STOC 1998), for why this is at most twice the optimum without a tolerance
 */
export function rentRule({ cacheRead, cacheWrite }: Prices, tolerance = Infinity): DropRule {
  let rent = 0;
  return ({ saved, rewritten, paid, undropped }) => {
    rent += cacheRead * saved;
    if (rent < (cacheWrite - cacheRead) * rewritten || !isInsured(paid, undropped, tolerance)) return false;
    rent = 0;
    return true;
  };
}

/** A session that costs so much more than with doing nothing counts as dearer. Unit: share of the bill of doing nothing. */
export const lossTolerated = 0.02;

/** Returns true if a session that ended here would be dearer than doing nothing by no more than the tolerance. Only a drop raises the excess. */
function isInsured(paid: number, undropped: number, tolerance: number): boolean {
  return tolerance === Infinity || paid <= (1 + tolerance) * undropped;
}

/** Returns the rule that drops at given calls. */
export function ruleAtCalls(calls: readonly number[]): DropRule {
  const chosen = new Set(calls);
  return ({ call }) => chosen.has(call);
}

/** The sizes of a session by model call. Unit: tokens. */
export interface SizesByCall {
  /** What stands before the first call: instructions, tools, the task. */
  readonly head: number;
  /** By call: what its answer, its results and words of others add to the next request. The last one adds nothing. */
  readonly added: readonly number[];
}

/** Returns the sizes of a session, from those of its events. */
export function sizesByCall(session: RecordedSession, tokens: readonly number[], head: number): SizesByCall {
  const added = session.calls.map(() => 0);
  let before = head;
  session.stepOf.forEach((step, index) => {
    const size = tokens[index] ?? 0;
    if (step < 0) before += size;
    else added[step] = (added[step] ?? 0) + size;
  });
  return { head: before, added: [...added.slice(0, -1), 0] };
}

/** Returns the cost of the session with nothing condensed: each token is written once and read at every later call. */
export function costUncondensed(sizes: SizesByCall, prices: Prices): number {
  return costsUncondensed(sizes, prices).at(-1) ?? 0;
}

/** By call: what it and all before it cost with nothing condensed. */
function costsUncondensed({ head, added }: SizesByCall, prices: Prices): readonly number[] {
  let [cost, prompt] = [prices.cacheWrite * head, head];
  const costs = [cost];
  for (const size of added.slice(0, -1)) {
    cost += prices.cacheRead * prompt + prices.cacheWrite * size;
    prompt += size;
    costs.push(cost);
  }
  return costs;
}

/** To how many tokens the optimum of a report drops a history. */
export const optimumTarget = 15_000;

const leastRoom = 2_000;

/** Returns the size down to which a drop goes: the target, or a little more than the head. Unit: tokens. */
function dropBound({ head }: SizesByCall, target: number): number {
  return Math.max(target, head + leastRoom);
}

/**
 * Returns the least that a session can cost a policy that may, before any call, drop what is old and keep the newest steps that fit into
 * `target` tokens (the newest one always), with no summary. Exact, by dynamic programming over the calls at which to drop: it
 * knows the future, so no policy of this kind does better. With a tolerance it is the least of those policies that at no call are dearer
 * than doing nothing by more than that.
 */
export function leastCost(sizes: SizesByCall, target: number, prices: Prices, tolerance = Infinity): number {
  const { head, added } = sizes;
  const calls = added.length;
  const bound = dropBound(sizes, target);
  const undropped = costsUncondensed(sizes, prices);
  const kept = Array.from({ length: calls }, (_, call) => newestThatFit(added, call, bound - head));
  // dropped[call]: the least that the calls up to this one cost if it begins with a drop. The first begins with the head alone. What was
  // paid before says nothing about what comes, so the least is the best to go on from, and the most insured.
  const dropped = Array<number>(calls).fill(Infinity);
  dropped[0] = prices.cacheWrite * head;
  let least = calls === 0 ? 0 : Infinity;
  for (let start = 0; start < calls; start++) {
    let cost = dropped[start] ?? Infinity;
    if (cost === Infinity) continue;
    let size = start === 0 ? head : head + (kept[start] ?? 0);
    for (let call = start + 1; call < calls; call++) {
      const newest = added[call - 1] ?? 0;
      const paid = cost + prices.cacheRead * head + prices.cacheWrite * (kept[call] ?? 0);
      if (size + newest > bound && isInsured(paid, undropped[call] ?? 0, tolerance))
        dropped[call] = Math.min(dropped[call] ?? Infinity, paid);
      cost += prices.cacheRead * size + prices.cacheWrite * newest;
      size += newest;
    }
    least = Math.min(least, cost);
  }
  return least;
}

/** Returns the size of the newest steps before a call that fit into a room, the newest one always. */
function newestThatFit(added: readonly number[], call: number, room: number): number {
  let kept = 0;
  for (let step = call - 1; step >= 0; step--) {
    const size = added[step] ?? 0;
    if (step < call - 1 && kept + size > room) break;
    kept += size;
  }
  return kept;
}
