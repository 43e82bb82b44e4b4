import type { MarkedUse } from './cache.js';
import { costOfDrops, optimumTarget, ruleAtCalls } from './drops.js';
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
