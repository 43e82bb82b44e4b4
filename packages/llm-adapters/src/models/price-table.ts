import type { TokenPrices } from '../prices.js';
import { modelName } from './model-name.js';
import { priceRows } from './price-rows.js';

/** What some models cost at their vendor's own service, from one day to another. */
export interface PriceRow {
  /** All that have these prices: names and aliases. Routers' prefixes and the dates of snapshots are left out. */
  readonly models: readonly string[];
  /** Whose service it is: `anthropic`, `openai`, `google`, `deepseek`, `mistral`, `xai`, `moonshot`, or yours. */
  readonly vendor: string;
  readonly prices: TokenPrices;
  /** The first day, as `YYYY-MM-DD` in UTC. @defaultValue since the model exists */
  readonly validFrom?: string;
  /** The last day, as `YYYY-MM-DD` in UTC. @defaultValue no end is announced */
  readonly validTo?: string;
  /** Only from Monday to Friday, from one hour up to but not another, in UTC. @defaultValue always */
  readonly weekdayHoursUtc?: readonly (readonly [from: number, to: number])[];
  /** Where the prices were read. */
  readonly source: string;
  /** When they were read, as `YYYY-MM-DD`. */
  readonly checkedAt: string;
}

/** The prices that this version knows: data, to be read, extended or replaced. */
export const priceTable: readonly PriceRow[] = priceRows;

/**
 * What a model costs at a moment, at its vendor's own service. Undefined for a model that is not in the table, and where no
 * row of it is valid then: nothing is guessed. Of several valid rows the first counts, so rows of your own go before.
 *
 * @throws RangeError when the date is none.
 * @example
 * ```ts
 * pricesAt('claude-opus-5-5', new Date(), [...mine, ...priceTable]);
 * ```
 */
export function pricesAt(model: string, date: Date, table: readonly PriceRow[] = priceTable): TokenPrices | undefined {
  const name = modelName(model);
  return table.find(
    (row) =>
      row.models.some((candidate) => candidate === model || modelName(candidate) === name) && isValidAt(row, date),
  )?.prices;
}

function isValidAt({ validFrom = '', validTo, weekdayHoursUtc }: PriceRow, date: Date): boolean {
  const day = date.toISOString().slice(0, 10);
  if (day < validFrom || (validTo !== undefined && day > validTo)) return false;
  if (weekdayHoursUtc === undefined) return true;
  const isWeekday = date.getUTCDay() >= 1 && date.getUTCDay() <= 5;
  const hour = date.getUTCHours();
  return isWeekday && weekdayHoursUtc.some(([from, to]) => hour >= from && hour < to);
}
