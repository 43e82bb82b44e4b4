import type { Event } from '@palimpsest/events';
import { knownPricesOf, pricesOfModel } from '../measure/money.js';
import type { PricedAs } from './page-data.js';

/** The model of the prices where none is named, and the sessions name none that has prices. */
export const defaultModel = 'claude-sonnet-5-5';

/** Counts the recorded model calls by model. */
export class RecordedModels {
  readonly #calls = new Map<string, number>();

  add(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'llm-usage') this.#calls.set(event.model, (this.#calls.get(event.model) ?? 0) + 1);
    }
  }

  /**
   * The model by whose prices the sessions are priced: the named one, else the recorded one with most calls that has prices.
   *
   * @throws {@link HarnessError} `unknown-model` for a named model without known prices
   */
  pricedAs(named: string | undefined, date: Date): PricedAs {
    if (named !== undefined) {
      knownPricesOf(named, date);
      return { model: named, because: 'named' };
    }
    const all = [...this.#calls.values()].reduce((sum, calls) => sum + calls, 0);
    const priced = [...this.#calls].filter(([model]) => pricesOfModel(model, date) !== undefined);
    const [most] = priced.sort(([, one], [, other]) => other - one);
    if (most === undefined) return { model: defaultModel, because: 'default' };
    return { model: most[0], because: 'recorded', share: most[1] / all };
  }
}
