import type { Condensation } from '@palimpsest/events';
import type { CachePrices, View } from '@palimpsest/view';
import { sizesAtCalls } from './model-calls.js';

/**
 * What the model calls of a conversation have cost, and what they would have cost without condensing, as the view estimates both.
 * Unit of the bills: the price of an uncached input token. Unit of the sizes: tokens.
 */
export interface Ledger {
  /** The number of model calls. */
  readonly calls: number;
  readonly bill: number;
  /** The bill of doing nothing. */
  readonly rawBill: number;
  /** How much of the next request the prompt cache holds. */
  readonly cached: number;
  /** How much of it the cache would hold if nothing had been condensed. */
  readonly rawCached: number;
  /** How much larger the next request would be without condensing. */
  readonly hidden: number;
}

const empty: Ledger = { calls: 0, bill: 0, rawBill: 0, cached: 0, rawCached: 0, hidden: 0 };

/**
 * The ledger of a view: what the newest condensation with a ledger states, and the calls since then. So a restart, a replay and a
 * fork find the same numbers in the log. Costs O(calls since then).
 *
 * @param fixed - the size of what is sent beside the view. Unit: tokens, as the view estimates.
 */
export function ledgerOf(view: View, prices: CachePrices, fixed: number): Ledger {
  const last = view.condensations.findLast((condensation) => readLedger(condensation) !== undefined);
  let { calls, bill, rawBill, cached, rawCached, hidden } = (last && readLedger(last)) ?? empty;
  for (const tokens of sizesAtCalls(view, last && view.positionOf(last.id))) {
    const size = fixed + tokens;
    // Another condenser has made the view smaller since then.
    if (size < cached) hidden += cached - size;
    bill += costOfRequest(size, cached, prices);
    rawBill += costOfRequest(size + hidden, rawCached, prices);
    cached = size;
    rawCached = size + hidden;
    calls++;
  }
  return { calls, bill, rawBill, cached, rawCached, hidden };
}

/** The cost of a request of which the cache holds a part. Unit: the price of an uncached input token. */
export function costOfRequest(size: number, cached: number, { read, write }: CachePrices): number {
  const found = Math.min(size, cached);
  return read * found + write * (size - found);
}

/** The ledger in the metadata of a condensation. Undefined if there is none, or it is not one. */
function readLedger({ metadata }: Condensation): Ledger | undefined {
  const { ledger } = metadata ?? {};
  if (typeof ledger !== 'object' || ledger === null) return undefined;
  const stated = ledger as Readonly<Record<keyof Ledger, unknown>>;
  return Object.keys(empty).every((key) => isAmount(stated[key as keyof Ledger])) ? (stated as Ledger) : undefined;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
