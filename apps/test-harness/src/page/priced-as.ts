import type { Event } from '@palimpsest/events';
import { knownPricesOf, pricesOfModel } from '../measure/money.js';
import type { SessionPrices } from '../replay/replayed-session.js';
import type { PricedAs } from './page-data.js';

/** The model of the prices where none is named, and the sessions name none that has prices. */
const defaultModel = 'claude-sonnet-5-5';

/**
 * Returns the model by whose prices sessions are priced that have none of their own: the named one, else the recorded one with most calls
 * that has prices.
 *
 * @param calls - the recorded model calls by model
 * @throws {@link HarnessError} `unknown-model` for a named model without known prices
 */
export function pricedAs(named: string | undefined, calls: ReadonlyMap<string, number>, date: Date): PricedAs {
  if (named !== undefined) {
    knownPricesOf(named, date);
    return { model: named, because: 'named' };
  }
  const most = mostUsed(calls, date);
  if (most === undefined) return { model: defaultModel, because: 'default' };
  return { model: most[0], because: 'recorded' };
}

/**
 * Returns the prices of one session: those of the model that made most of its calls, of the models with known prices.
 *
 * @param calls - the session's recorded model calls by model
 * @param otherwise - the model of all sessions if it is named, else of one without such a model
 */
export function sessionPrices(calls: ReadonlyMap<string, number>, otherwise: PricedAs, date: Date): SessionPrices {
  const most = otherwise.because === 'named' ? undefined : mostUsed(calls, date);
  return { prices: knownPricesOf(most?.[0] ?? otherwise.model, date), isAssumed: most === undefined };
}

/** Returns the model with most calls of those that have prices, with their number. */
function mostUsed(calls: ReadonlyMap<string, number>, date: Date): readonly [model: string, calls: number] | undefined {
  const priced = [...calls].filter(([model]) => pricesOfModel(model, date) !== undefined);
  return priced.sort(([, one], [, other]) => other - one)[0];
}

/** Counts the recorded model calls by model. */
export function callsByModel(events: readonly Event[]): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const event of events) if (event.type === 'llm-usage') calls.set(event.model, (calls.get(event.model) ?? 0) + 1);
  return calls;
}
