import type { Trial } from './trial.js';

/** Returns the mean size of a prompt by arm, over all requests. Arms of which no tokens are known are left out. Unit: tokens. */
export function promptSizes(results: readonly Trial[]): ReadonlyMap<string, number> {
  const sums = new Map<string, { tokens: number; steps: number }>();
  for (const { arm, tokens, steps = 0 } of results) {
    if (tokens === undefined || steps === 0) continue;
    const sum = sums.get(arm) ?? { tokens: 0, steps: 0 };
    sum.tokens += tokens.uncachedInput + tokens.cacheRead + (tokens.cacheWrite ?? 0);
    sum.steps += steps;
    sums.set(arm, sum);
  }
  return new Map([...sums].map(([arm, { tokens, steps }]) => [arm, tokens / steps]));
}
