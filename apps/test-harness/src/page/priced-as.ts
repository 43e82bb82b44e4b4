import type { Event } from '@palimpsest/events';
import { knownPricesOf, pricesOfModel } from '../measure/money.js';
import type { Prices } from '../measure/money.js';
import type { PricedAs } from './page-data.js';

/** The model of the prices where none is named, and the sessions name none that has prices. */
const defaultModel = 'claude-sonnet-5-5';

/**
 * Returns the model by whose prices the sessions are priced: the named one, else the recorded one with most calls that has
 * prices.
 *
 * @param calls - the recorded model calls by model
 * @throws {@link HarnessError} `unknown-model` for a named model without known prices
 */
export function pricedAs(named: string | undefined, calls: ReadonlyMap<string, number>, date: Date): PricedAs {
  if (named !== undefined) {
    knownPricesOf(named, date);
    return { model: named, because: 'named' };
  }
  const all = [...calls.values()].reduce((sum, count) => sum + count, 0);
  const priced = [...calls].filter(([model]) => pricesOfModel(model, date) !== undefined);
  const [most] = priced.sort(([, one], [, other]) => other - one);
  if (most === undefined) return { model: defaultModel, because: 'default' };
  return { model: most[0], because: 'recorded', share: most[1] / all };
}

/** Returns the prices of sessions whose model nobody named: those of {@link pricedAs}. */
export function recordedPrices(
  calls: ReadonlyMap<string, number>,
  date: Date,
): { readonly priced: PricedAs; readonly prices: readonly Prices[] } {
  const priced = pricedAs(undefined, calls, date);
  return { priced, prices: [knownPricesOf(priced.model, date)] };
}

/** Counts the recorded model calls by model. */
export function callsByModel(events: readonly Event[]): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const event of events) if (event.type === 'llm-usage') calls.set(event.model, (calls.get(event.model) ?? 0) + 1);
  return calls;
}
