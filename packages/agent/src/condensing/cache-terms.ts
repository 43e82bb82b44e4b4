import type { LLM } from '@palimpsest/llm-adapters';
import type { CondenseContext } from '@palimpsest/view';

/**
 * What a condenser is told of the model's prompt cache: prices as shares of the price of an uncached input token, and how long a prefix
 * lives. Without what is not known of the model. No time: a condenser takes that of the newest event, so that a restart, a fork and a
 * replay of the log decide as the agent did.
 */
export function cacheTermsOf({ prices, facts }: LLM): Pick<CondenseContext, 'prices' | 'cacheLifeMs'> {
  const { cacheLifeMs } = facts ?? {};
  const life = cacheLifeMs === undefined ? {} : { cacheLifeMs };
  if (prices === undefined || !(prices.input > 0)) return life;
  const { input, cacheRead, cacheWrite, output } = prices;
  return { ...life, prices: { read: cacheRead / input, write: cacheWrite / input, output: output / input } };
}
