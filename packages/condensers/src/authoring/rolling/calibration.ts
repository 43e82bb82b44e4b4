import type { View } from '@palimpsest/view';

/** The number of newest internal events that are read, and the number of usages among them that count. */
const searched = 64;
const counted = 5;
/** A smaller estimate depends more on what is sent beside the view than on the view. Unit: tokens. */
const leastEstimate = 1_000;
const least = 0.5;
const most = 4;

/**
 * The provider's tokens per estimated token of the view: the median of the agent's last five model calls with both numbers in the
 * log, minus `fixedTokens`, limited to 0.5–4. 1 if the log has no such call. Costs O(1).
 *
 * @see decision 23; logs contain a counter that was wrong by four, and usage counted twice, so neither number is trusted alone
 */
export function calibrationOf(view: Pick<View, 'internalEvents'>, fixedTokens = 0): number {
  const ratios: number[] = [];
  const { internalEvents } = view;
  const end = Math.max(0, internalEvents.length - searched);
  for (let index = internalEvents.length - 1; index >= end && ratios.length < counted; index--) {
    const event = internalEvents.at(index);
    if (event?.type !== 'llm-usage' || (event.purpose ?? 'agent') !== 'agent') continue;
    const { estimatedInputTokens = 0, usage } = event;
    if (estimatedInputTokens < leastEstimate) continue;
    const sent = usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    if (sent > fixedTokens) ratios.push((sent - fixedTokens) / estimatedInputTokens);
  }
  const median = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)];
  return median === undefined ? 1 : Math.min(most, Math.max(least, median));
}
