import type { MarkedUse } from './cache.js';
import { costOf, rereadCost } from './money.js';
import type { Fault, Prices, TokenUse } from './money.js';
import type { RecordedSession } from './recorded-session.js';
import type { Meter, ReplayedCall } from './replayed-call.js';

/** The cost of the requests of a replay, without and with the calls that read again what the view no longer shows. */
export interface Bill {
  readonly prices: string;
  /** @defaultValue tokens of uncached input */
  readonly unit?: 'USD';
  /** Of the requests and of the condenser's own model calls. */
  readonly input: number;
  readonly withRereads: number;
  /** The part of `input` that the condenser's own model calls cost. */
  readonly summariser: number;
  /** `input` with a cache that works at marks alone: four, with a look-back of 20 blocks. */
  readonly atMarks: number;
  /** The same, and what was not read for five minutes is gone. @defaultValue none: the log has no times */
  readonly withLife?: number;
  /**
   * What it would cost to drop the oldest steps down to 15,000 tokens at the calls at which this condenser rewrote: compared with
   * the optimum, how well it chose when to act, whatever it left.
   */
  readonly dropsThen: number;
}

/** Options of {@link billMeter}. The two lists grow while it listens. */
export interface BillMeterOptions {
  readonly prices: readonly Prices[];
  readonly sizes: SizesByCall;
  /** What a request uses of a cache that works at marks. */
  readonly markedUse: (call: ReplayedCall) => MarkedUse;
  readonly faults: readonly Fault[];
  /** The calls of the condenser's own model. */
  readonly ownCalls: readonly TokenUse[];
}

/** Adds up the bills of one replay, one for each row of prices. */
export function billMeter({ prices, sizes, markedUse, faults, ownCalls }: BillMeterOptions): Meter<readonly Bill[]> {
  const sums = prices.map((row) => ({ row, exact: 0, atMarks: 0, withLife: 0 }));
  const rewrittenAt: number[] = [];
  let hasLife = false;
  return {
    atCall: (call) => {
      const { tokens, cached, rewrites } = call.prompt;
      if (rewrites) rewrittenAt.push(call.index);
      const use = { cacheRead: cached, cacheWrite: tokens - cached, input: 0, output: 0 };
      const { atMarks, withLife } = markedUse(call);
      hasLife ||= withLife !== undefined;
      for (const sum of sums) {
        sum.exact += costOf(use, sum.row);
        sum.atMarks += costOf(atMarks, sum.row);
        if (withLife !== undefined) sum.withLife += costOf(withLife, sum.row);
      }
    },
    result: () =>
      sums.map(({ row, exact, atMarks, withLife }): Bill => {
        const summariser = total(ownCalls, (use) => costOf(use, row));
        return {
          prices: row.name,
          ...(row.unit === undefined ? {} : { unit: row.unit }),
          input: exact + summariser,
          withRereads: exact + summariser + total(faults, (fault) => rereadCost(fault, row)),
          summariser,
          atMarks: atMarks + summariser,
          dropsThen: costOfDrops(sizes, optimumTarget, row, ruleAtCalls(rewrittenAt)),
          ...(hasLife ? { withLife: withLife + summariser } : {}),
        };
      }),
  };
}

function total<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

/** A call before which old steps could be dropped. Unit: tokens. */
export interface PossibleDrop {
  readonly call: number;
  /** What a request is smaller by after the drop. */
  readonly saved: number;
  /** What is written again after the drop, besides the newest step, which is written anyway. */
  readonly rewritten: number;
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
 * Returns the rule RENT: each call pays rent for the tokens that a drop would save, and a drop comes when the rent
 * since the last one has reached the price of writing again what stays. It knows neither the future nor the length of
 * the session.
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

/** Returns the size down to which a drop goes: the target, or a little more than the head. Unit: tokens. */
function dropBound({ head }: SizesByCall, target: number): number {
  return Math.max(target, head + leastRoom);
}

/**
 * Returns the least that a session can cost a policy that may, before any call, drop what is old and keep the newest steps that fit into
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
