import type { NeedName } from './needs.js';
import { costOf } from './money.js';
import type { Prices, TokenUse } from './money.js';
import type { Meter } from './replayed-call.js';
import { tokensOfEvent } from './tokens.js';
import type { TextCounter } from './tokens.js';

/** A replay in which what a call needs and does not see is read again before it. */
export interface LoopTotals {
  /** Inserted steps. */
  readonly steps: number;
  /** Results that were read again. */
  readonly results: number;
  /** Their size. Unit: tokens. */
  readonly tokens: number;
  /** What the newest condensation's ledger has booked as read again, and what had been by then. Both 0 without such a ledger. Unit: tokens. */
  readonly booked: { readonly tokens: number; readonly of: number };
  /** By row of prices: all requests, the output of the inserted steps, and the condenser's own model calls. */
  readonly costs: readonly number[];
}

/** The same, by the model of need. */
export interface Loop extends LoopTotals {
  readonly need: NeedName;
}

/** Adds up the bill of a replay with inserted steps. @param ownCalls - of the condenser's own model; grows while it listens */
export function loopMeter(
  prices: readonly Prices[],
  count: TextCounter,
  ownCalls: readonly TokenUse[],
): Meter<LoopTotals> {
  const costs = prices.map(() => 0);
  let [steps, results, tokens] = [0, 0, 0];
  let booked = { tokens: 0, of: 0 };
  return {
    atCall: ({ prompt, rereads, condensations }) => {
      for (const { metadata } of condensations) {
        const known = rereadTokensIn(metadata?.['ledger']);
        if (known !== undefined) booked = { tokens: known, of: tokens };
      }
      let output = 0;
      for (const event of rereads) {
        const size = tokensOfEvent(event, count);
        if (event.type === 'action') output += size;
        else {
          results++;
          tokens += size;
        }
      }
      if (rereads.length > 0) steps++;
      const use = { cacheRead: prompt.cached, cacheWrite: prompt.tokens - prompt.cached, input: 0, output };
      prices.forEach((row, index) => (costs[index] = (costs[index] ?? 0) + costOf(use, row)));
    },
    result: () => ({
      steps,
      results,
      tokens,
      booked,
      costs: prices.map((row, index) => ownCalls.reduce((sum, use) => sum + costOf(use, row), costs[index] ?? 0)),
    }),
  };
}

/** Returns what a ledger in a condensation's metadata has booked as read again. */
function rereadTokensIn(ledger: unknown): number | undefined {
  if (typeof ledger !== 'object' || ledger === null || !('rereadTokens' in ledger)) return undefined;
  return typeof ledger.rereadTokens === 'number' ? ledger.rereadTokens : undefined;
}
