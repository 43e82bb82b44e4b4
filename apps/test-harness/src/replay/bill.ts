import { costOfDrops, ruleAtCalls } from '../measure/drops.js';
import type { MarkedUse } from '../measure/marked-cache.js';
import { costOf, rereadCost } from '../measure/money.js';
import type { Fault, Prices, TokenUse } from '../measure/money.js';
import { optimumTarget } from '../measure/optimum.js';
import type { SizesByCall } from '../measure/optimum.js';

/** What the requests of a replay cost, without and with the calls that read again what the view no longer shows. */
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

/** Adds up the bills of one replay, one for each row of prices. */
export interface RunningBills {
  /** One request: with a cache that holds all of the request before, and with one that works at marks. */
  add(use: TokenUse, marked: MarkedUse): void;
  /** The bills, with the calls of the condenser's own model and what must be read again. */
  with(ownCalls: readonly TokenUse[], replayed: Replayed): readonly Bill[];
}

interface Replayed {
  readonly faults: readonly Fault[];
  readonly sizes: SizesByCall;
  /** The calls at which the condenser rewrote. */
  readonly rewrittenAt: readonly number[];
}

/** Bills at these prices. */
export function runningBills(rows: readonly Prices[]): RunningBills {
  const sums = rows.map(() => ({ exact: 0, atMarks: 0, withLife: 0 }));
  let hasLife = false;
  return {
    add: (use, { atMarks, withLife }) => {
      hasLife ||= withLife !== undefined;
      rows.forEach((prices, row) => {
        const sum = sums[row];
        if (sum === undefined) return;
        sum.exact += costOf(use, prices);
        sum.atMarks += costOf(atMarks, prices);
        if (withLife !== undefined) sum.withLife += costOf(withLife, prices);
      });
    },
    with: (ownCalls, { faults, sizes, rewrittenAt }) =>
      rows.map((prices, row): Bill => {
        const { exact, atMarks, withLife } = sums[row] ?? { exact: 0, atMarks: 0, withLife: 0 };
        const summariser = total(ownCalls, (use) => costOf(use, prices));
        return {
          prices: prices.name,
          ...(prices.unit === undefined ? {} : { unit: prices.unit }),
          input: exact + summariser,
          withRereads: exact + summariser + total(faults, (fault) => rereadCost(fault, prices)),
          summariser,
          atMarks: atMarks + summariser,
          dropsThen: costOfDrops(sizes, optimumTarget, prices, ruleAtCalls(rewrittenAt)),
          ...(hasLife ? { withLife: withLife + summariser } : {}),
        };
      }),
  };
}

function total<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
