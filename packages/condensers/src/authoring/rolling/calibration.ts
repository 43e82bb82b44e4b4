import type { View } from '@palimpsest/view';
import { promptCounts } from './prompt-counts.js';

/** The number of newest counts that count. */
const counted = 5;
/** A smaller estimate depends more on what is sent beside the view than on the view. Unit: tokens. */
const leastEstimate = 1_000;
const least = 0.5;
const most = 4;
/** One or two calls may be exceptions, so they are believed within what tokenizers differ by. Unit: calls. */
const enough = 3;
const leastOfFew = 0.8;
const mostOfFew = 2;

/**
 * The provider's tokens per estimated token of the view: the median of the agent's last five calls of the model that it called last,
 * with both numbers in the log, minus `fixedTokens`; limited to 0.5–4, and to 0.8–2 as long as there are only one or two. 1 if the log
 * has no such call. Counts that cannot be those of whole prompts are left out: {@link promptCounts}. Both numbers are of the prompt that
 * was sent, so they stay true after a condensation. Costs O(1).
 *
 * @see decision 113; logs contain a counter that was wrong by four, and usage counted twice, so neither number is trusted alone
 */
export function calibrationOf(view: Pick<View, 'internalEvents'>, fixedTokens = 0): number {
  const ratios = promptCounts(view, fixedTokens)
    .believed.filter(({ sent, estimated }) => sent > fixedTokens && estimated >= leastEstimate)
    .slice(-counted)
    .map(({ sent, estimated }) => (sent - fixedTokens) / estimated);
  if (ratios.length === 0) return 1;
  const [low, high] = ratios.length < enough ? [leastOfFew, mostOfFew] : [least, most];
  return Math.min(high, Math.max(low, medianOf(ratios)));
}

function medianOf(ratios: number[]): number {
  ratios.sort((a, b) => a - b);
  const middle = Math.floor(ratios.length / 2);
  const upper = ratios[middle] as number;
  return ratios.length % 2 === 1 ? upper : (upper + (ratios[middle - 1] as number)) / 2;
}
