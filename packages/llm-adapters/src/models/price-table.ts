import type { TokenPrices } from '../prices.js';
import { modelName } from './model-name.js';
import type { PriceRow } from './price-row.js';
import { priceRows } from './price-rows.js';

export type { PriceRow } from './price-row.js';

/** The prices that this version knows. Plain data that can be read, extended or replaced. */
export const priceTable: readonly PriceRow[] = priceRows;

/**
 * The prices of a model at a moment, at its vendor's own service. Undefined if the model is not in the table or none of its
 * rows is valid at that moment: prices are never guessed. The first valid row counts, so put your own rows before the table's.
 *
 * @throws RangeError when the date is invalid.
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
