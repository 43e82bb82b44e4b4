import type { TokenPrices } from '../prices.js';

/** The prices of some models at their vendor's own service during a period. */
export interface PriceRow {
  /** The names and aliases of the models with these prices, without routers' prefixes and snapshot dates. */
  readonly models: readonly string[];
  /** Whose service it is: `anthropic`, `openai`, `google`, `deepseek`, `mistral`, `xai`, `moonshot`, or yours. */
  readonly vendor: string;
  readonly prices: TokenPrices;
  /** The first day, as `YYYY-MM-DD` in UTC. @defaultValue since the model exists */
  readonly validFrom?: string;
  /** The last day, as `YYYY-MM-DD` in UTC. @defaultValue no end is announced */
  readonly validTo?: string;
  /** Valid only from Monday to Friday, from one hour (inclusive) to another (exclusive), in UTC. @defaultValue always */
  readonly weekdayHoursUtc?: readonly (readonly [from: number, to: number])[];
  /** Where the prices were read. */
  readonly source: string;
  /** When they were read, as `YYYY-MM-DD`. */
  readonly checkedAt: string;
}
