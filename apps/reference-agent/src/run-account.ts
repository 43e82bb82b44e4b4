import type { Event } from '@palimpsest/events';
import { totalInputTokens } from '@palimpsest/llm-adapters';
import { usualPrices, ViewProjection } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** The figures of the runs in a log. Token counts are estimates of the view: four characters a token. */
export interface RunAccount {
  /** Model calls. */
  readonly steps: number;
  readonly condensations: number;
  /** Events that were forgotten, and results or arguments that were masked. */
  readonly forgotten: number;
  readonly masked: number;
  /** All that was sent, over all steps. */
  readonly tokensSent: number;
  /** What the same steps would have sent with the whole history. */
  readonly tokensUncondensed: number;
  /** The most that one step sent, and would have sent. */
  readonly peakSent: number;
  readonly peakUncondensed: number;
  /**
   * What the input would cost with a prompt cache that holds the request before, and what it would have cost with the whole history, at
   * {@link usualPrices}. Unit: the price of an uncached input token.
   */
  readonly bill: number;
  readonly billUncondensed: number;
  /** All that was sent, as the provider counted it. */
  readonly tokensByProvider: number;
}

/** Replays a log: once as it is, and once as if nothing had ever been condensed. */
export function accountOf(log: Iterable<Event>): RunAccount {
  const uncondensed = new ViewProjection();
  const condensed = new ViewProjection();
  const bills = { condensed: runningBill(), uncondensed: runningBill() };
  const account = {
    steps: 0,
    condensations: 0,
    forgotten: 0,
    masked: 0,
    tokensSent: 0,
    tokensUncondensed: 0,
    peakSent: 0,
    peakUncondensed: 0,
    bill: 0,
    billUncondensed: 0,
    tokensByProvider: 0,
  };
  for (const event of log) {
    if (event.type === 'llm-usage' && event.purpose === 'agent') {
      // The usage event stands just before the answer, so both views are what this call was sent.
      const sent = event.estimatedInputTokens ?? 0;
      const whole = uncondensed.view.tokens();
      account.steps++;
      account.tokensSent += sent;
      account.tokensUncondensed += whole;
      account.peakSent = Math.max(account.peakSent, sent);
      account.peakUncondensed = Math.max(account.peakUncondensed, whole);
      account.bill += bills.condensed(condensed.view);
      account.billUncondensed += bills.uncondensed(uncondensed.view);
      account.tokensByProvider += totalInputTokens(event.usage);
    }
    if (event.type === 'condensation') {
      account.condensations++;
      account.forgotten += event.forgottenEventIds.length;
      account.masked += event.redactions?.length ?? 0;
    } else if (event.type !== 'condensation-revert') {
      uncondensed.append(event);
    }
    condensed.append(event);
  }
  return account;
}

/** The shares of tokens and of the bill that condensation saved, from 0 to 1; negative if it cost more than it saved. */
export function savedShares(account: RunAccount): { readonly tokens: number; readonly bill: number } {
  const saved = (paid: number, whole: number): number => (whole === 0 ? 0 : 1 - paid / whole);
  return {
    tokens: saved(account.tokensSent, account.tokensUncondensed),
    bill: saved(account.bill, account.billUncondensed),
  };
}

/** Prices one request after the other: what the request before began with is read from the cache, the rest is written to it. */
function runningBill(): (view: View) => number {
  let before: View['events'] | undefined;
  return (view) => {
    let same = 0;
    while (same < view.events.length && view.events.at(same) === before?.at(same)) same++;
    before = view.events;
    return usualPrices.read * view.tokens(0, same) + usualPrices.write * view.tokens(same);
  };
}
