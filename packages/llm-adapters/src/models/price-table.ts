import type { TokenPrices } from '../prices.js';
import { modelName } from './model-facts.js';
import { priceRows } from './price-rows.js';
import type { PriceRow } from './price-rows.js';

export type { PriceRow } from './price-rows.js';

/** The prices that this version knows. Plain data that can be read, extended or replaced. */
export const priceTable: readonly PriceRow[] = priceRows;

/**
 * Returns the prices of a model at a moment, at its vendor's own service. Undefined if the model is not in the table or
 * none of its rows is valid at that moment: prices are never guessed. The first valid row counts, so put your own rows
 * before the table's.
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

/** The vendors of known addresses. A router has no prices of its own here, and its windows are those of the vendors. */
export type Vendor =
  'anthropic' | 'openai' | 'openrouter' | 'deepseek' | 'google' | 'mistral' | 'moonshot' | 'xai' | 'alibaba';

const hosts: readonly (readonly [RegExp, Vendor])[] = [
  [/^api\.anthropic\.com$/, 'anthropic'],
  [/^(?:[a-z]{2}\.)?api\.openai\.com$/, 'openai'],
  [/^api\.deepseek\.com$/, 'deepseek'],
  [/^generativelanguage\.googleapis\.com$/, 'google'],
  [/^api\.mistral\.ai$/, 'mistral'],
  [/^api\.moonshot\.(?:ai|cn)$/, 'moonshot'],
  [/^api\.x\.ai$/, 'xai'],
  [/^openrouter\.ai$/, 'openrouter'],
  [/^dashscope(?:-intl|-us)?\.aliyuncs\.com$/, 'alibaba'],
];

/** Returns the vendor whose service has this address; undefined for clouds, proxies and the local machine. */
export function vendorOf(baseURL: string): Vendor | undefined {
  if (!URL.canParse(baseURL)) return undefined;
  const { hostname } = new URL(baseURL);
  return hosts.find(([pattern]) => pattern.test(hostname))?.[1];
}
