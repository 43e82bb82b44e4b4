import { tokensText, usdText } from '../receipts/phrases.js';
import type { Receipt } from '../receipts/receipt.js';
import { stepsOf } from '../receipts/steps.js';

/** The condensation that can be taken back, and what that costs. */
export interface Undo {
  readonly id: string;
  /** A sentence for the user. */
  readonly price: string;
}

/**
 * Returns what it would cost to take back the newest condensation of a conversation. Undefined if none is in force.
 *
 * @param receipts - those of the conversation, oldest first
 */
export function undoOf(receipts: readonly Receipt[]): Undo | undefined {
  const id = receipts.at(-1)?.newest;
  const steps = stepsOf(receipts);
  const now = steps.at(-1);
  if (id === undefined || now === undefined) return undefined;
  const made = receipts.flatMap(({ condensations }) => condensations).find((one) => one.id === id);
  const then = steps.find(({ receipt }) => receipt.condensations.some((one) => one.id === id));
  if (made === undefined || then === undefined) return { id, price: 'What it costs is not known.' };
  const counted = now.receipt.sent > 0 ? now.sent / now.receipt.sent : 1;
  const more = made.savedTokens * counted;
  const written = made.rewrittenTokens * counted + Math.max(0, now.sent - then.sent) + more;
  const { prices, isSubscription } = now.receipt;
  const usd = (tokens: number, rate: number): number => (tokens * rate) / 1_000_000;
  const isPriced = prices !== undefined && !isSubscription;
  const once = isPriced
    ? `, once for about ${usdText(usd(written, prices.cacheWrite) - usd(written - more, prices.cacheRead))}`
    : '';
  const later = isPriced ? `, for ${usdText(usd(more, prices.cacheRead))}` : '';
  const sizes = `from ${tokensText(now.sent)} to ${tokensText(now.sent + more)} tokens`;
  return {
    id,
    price: `The next request grows ${sizes} and writes ${tokensText(written)} of them again${once}. Each later one reads ${tokensText(more)} tokens more${later}.`,
  };
}
