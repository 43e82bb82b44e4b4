import type { TokenPrices } from '../prices.js';

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
