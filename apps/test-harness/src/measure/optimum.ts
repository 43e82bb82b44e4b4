import type { Prices } from './money.js';
import type { RecordedSession } from './recorded-session.js';

/** The sizes of a session by model call. Unit: tokens. */
export interface SizesByCall {
  /** What stands before the first call: instructions, tools, the task. */
  readonly head: number;
  /** By call: what its answer, its results and words of others add to the next request. The last one adds nothing. */
  readonly added: readonly number[];
}

/** The sizes of a session, from those of its events. */
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

/** What the session costs with nothing condensed: each token is written once and read at every later call. */
export function costUncondensed({ head, added }: SizesByCall, prices: Prices): number {
  let [cost, prompt] = [prices.cacheWrite * head, head];
  for (const size of added.slice(0, -1)) {
    cost += prices.cacheRead * prompt + prices.cacheWrite * size;
    prompt += size;
  }
  return cost;
}

/** To how many tokens the optimum of a report drops a history. */
export const optimumTarget = 15_000;

const leastRoom = 2_000;

/** The size down to which a drop goes: the target, or a little more than the head. Unit: tokens. */
export function dropBound({ head }: SizesByCall, target: number): number {
  return Math.max(target, head + leastRoom);
}

/**
 * The least that a session can cost a policy that may, before any call, drop what is old and keep the newest steps that fit into
 * `target` tokens (the newest one always), with no summary. Exact, by dynamic programming over the calls at which to drop: it
 * knows the future, so no policy of this kind does better.
 */
export function leastCost(sizes: SizesByCall, target: number, prices: Prices): number {
  const { head, added } = sizes;
  const calls = added.length;
  const bound = dropBound(sizes, target);
  const before = [0];
  for (const size of added) before.push((before.at(-1) ?? 0) + size);
  const kept = Array.from({ length: calls + 1 }, (_, call) => newestThatFit(added, call, bound - head));
  // least[call]: the cost from this call on if it begins with a drop; the first call begins with the head alone.
  const least = Array<number>(calls + 1).fill(Infinity);
  least[calls] = 0;
  for (let start = calls - 1; start >= 0; start--) {
    const first = start === 0 ? head : head + (kept[start] ?? 0);
    const sizeAt = (call: number): number => first + (before[call] ?? 0) - (before[start] ?? 0);
    let cost = start === 0 ? prices.cacheWrite * head : prices.cacheRead * head + prices.cacheWrite * (first - head);
    let best = Infinity;
    for (let end = start + 1; end <= calls; end++) {
      if (end === calls) best = Math.min(best, cost);
      else {
        if (sizeAt(end) > bound) best = Math.min(best, cost + (least[end] ?? Infinity));
        cost += prices.cacheRead * sizeAt(end - 1) + prices.cacheWrite * (added[end - 1] ?? 0);
      }
    }
    least[start] = best;
  }
  return least[0] ?? 0;
}

/** The size of the newest steps before a call that fit into a room, the newest one always. */
export function newestThatFit(added: readonly number[], call: number, room: number): number {
  let kept = 0;
  for (let step = call - 1; step >= 0; step--) {
    const size = added[step] ?? 0;
    if (step < call - 1 && kept + size > room) break;
    kept += size;
  }
  return kept;
}
