import type { View } from '@palimpsest/view';

/** How many of the newest internal events are looked at, and how many usages among them count. */
const searched = 64;
const counted = 5;
/** A smaller estimate says more of what is sent beside the view than of the view. Unit: tokens. */
const leastEstimate = 1_000;
const least = 0.5;
const most = 4;

/**
 * How many of the provider's tokens one estimated token of the view has been: the median of the last five model calls of the
 * agent that the log knows with both numbers, `fixedTokens` taken off, between 0.5 and 4. 1 where the log knows none. Costs O(1).
 *
 * @see decision 23; a counter that was wrong by four, and usage counted twice, are both on record, so neither is believed alone
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
