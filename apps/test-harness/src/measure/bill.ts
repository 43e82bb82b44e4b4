import type { MarkedUse } from './cache.js';
import { costOfDrops, leastCost, optimumTarget, ruleAtCalls } from './drops.js';
import type { SizesByCall } from './drops.js';
import { costOf, rereadCost } from './money.js';
import type { Fault, Prices, TokenUse } from './money.js';
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
   * How well it chose when to act: what dropping the oldest steps at the calls at which this condenser rewrote costs, over the least that such
   * drops can cost, less 1. Both drop to the size that this condenser left, in the mean. 0.05 is 5 % more.
   */
  readonly regret: number;
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
  /** The calls whose request was rewritten, with its size. */
  const rewritten = new Map<number, number>();
  let hasLife = false;
  return {
    atCall: (call) => {
      const { tokens, cached, rewrites } = call.prompt;
      if (rewrites) rewritten.set(call.index, tokens);
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
          regret: regretOf(sizes, rewritten, row),
          ...(hasLife ? { withLife: withLife + summariser } : {}),
        };
      }),
  };
}

/** Returns the regret of when of {@link Bill}. A condenser that never rewrote is compared with drops to the usual target. */
function regretOf(sizes: SizesByCall, rewritten: ReadonlyMap<number, number>, row: Prices): number {
  const left = [...rewritten.values()];
  const target = left.length === 0 ? optimumTarget : total(left, (tokens) => tokens) / left.length;
  const least = leastCost(sizes, target, row);
  return least === 0 ? 0 : costOfDrops(sizes, target, row, ruleAtCalls([...rewritten.keys()])) / least - 1;
}

function total<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
