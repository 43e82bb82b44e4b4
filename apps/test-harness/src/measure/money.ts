import { pricesAt, priceTable } from '@palimpsest/llm-adapters';
import type { CachePrices } from '@palimpsest/view';
import { HarnessError } from '../harness-error.js';

/** The tokens of one request or one call of the condenser's own model. Unit: tokens. */
export interface TokenUse {
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Input that no cache serves. */
  readonly input: number;
  readonly output: number;
}

/** Prices of a token, as shares of the price of an uncached input token or in USD. */
export interface Rates {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** A row of prices in a report. */
export interface Prices extends Rates {
  readonly name: string;
  /** The rates of a whole call whose prompt is longer than a bound; the highest bound that it passes counts. @defaultValue none */
  readonly tiers?: readonly (Rates & { readonly abovePromptTokens: number })[];
  /** @defaultValue 'share': of the price of an uncached input token */
  readonly unit?: 'USD';
}

/** The rows that every report has: the price of a cached token is what providers differ by most. */
export const priceRows: readonly Prices[] = [
  { name: 'r = 0.1', input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 },
  { name: 'r = 0.05', input: 1, cacheRead: 0.05, cacheWrite: 1.25, output: 5 },
  { name: 'r = 0.025', input: 1, cacheRead: 0.025, cacheWrite: 1.25, output: 5 },
  { name: 'no cache', input: 1, cacheRead: 1, cacheWrite: 1, output: 5 },
];

/** Returns the prices of a model, in USD a token; undefined for a model without known prices. */
export function pricesOfModel(model: string, date: Date): Prices | undefined {
  const known = pricesAt(model, date);
  if (known === undefined) return undefined;
  const perToken = ({ input, cacheRead, cacheWrite, output }: Rates): Rates => ({
    input: input / 1e6,
    cacheRead: cacheRead / 1e6,
    cacheWrite: cacheWrite / 1e6,
    output: output / 1e6,
  });
  const tiers = (known.tiers ?? []).map((tier) => ({ ...perToken(tier), abovePromptTokens: tier.abovePromptTokens }));
  return { name: model, unit: 'USD', ...perToken(known), tiers };
}

/** Returns the prices of a model, in USD a token. @throws {@link HarnessError} `unknown-model`; lists the models that have some */
export function knownPricesOf(model: string, date: Date): Prices {
  const prices = pricesOfModel(model, date);
  if (prices !== undefined) return prices;
  const known = [...new Set(priceTable.flatMap(({ models }) => models))].sort();
  throw new HarnessError(
    'unknown-model',
    `No prices are known for the model '${model}'. There are prices for: ${known.join(', ')}.`,
  );
}

/** Returns the prices of a row as a condenser is told of them. */
export function toldOf({ input, cacheRead, cacheWrite, output }: Rates): CachePrices {
  return { read: cacheRead / input, write: cacheWrite / input, output: output / input };
}

/** Returns the cost of one call. Unit: that of the prices. */
export function costOf({ cacheRead, cacheWrite, input, output }: TokenUse, prices: Prices): number {
  const prompt = cacheRead + cacheWrite + input;
  const tiers = (prices.tiers ?? []).filter(({ abovePromptTokens }) => prompt > abovePromptTokens);
  const rates = tiers.reduce<Rates & { abovePromptTokens?: number }>(
    (best, tier) => (tier.abovePromptTokens > (best.abovePromptTokens ?? -1) ? tier : best),
    prices,
  );
  return cacheRead * rates.cacheRead + cacheWrite * rates.cacheWrite + input * rates.input + output * rates.output;
}

/** An old source that a call needed and did not see. Unit: tokens. */
export interface Fault {
  readonly modelCall: number;
  /** The index of the source in the session. */
  readonly source: number;
  /** The size of the request at which the source was missing. */
  readonly promptTokens: number;
  readonly sourceTokens: number;
  /** The kinds of evidence that were missing. */
  readonly kinds: readonly string[];
}

/** A source that was read again stays for so many calls. */
export const callsOfResidence = 10;
const tokensOfCall = 60;
const largestReread = 8_000;

/** Returns the cost of reading a source again: a call, its result, and the result in the requests that follow. */
export function rereadCost({ promptTokens, sourceTokens }: Fault, prices: Prices): number {
  const size = Math.min(largestReread, sourceTokens);
  return (
    prices.output * tokensOfCall +
    prices.cacheWrite * (tokensOfCall + size) +
    prices.cacheRead * (promptTokens + callsOfResidence * size)
  );
}
