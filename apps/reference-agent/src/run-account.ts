import { usageSchema } from '@palimpsest/events';
import type { Condensation, Event, Usage } from '@palimpsest/events';
import { costOf, pricesAt, totalInputTokens } from '@palimpsest/llm-adapters';
import type { TokenPrices } from '@palimpsest/llm-adapters';
import { ViewProjection } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** Whose prices are taken where those of the model are not known: a scripted model, and one on the user's own machine. */
const usualModel = 'claude-sonnet-5-5';

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
   * What the calls cost with a prompt cache that holds the request before, calls of the condenser's own model included; and what the same
   * steps would have cost with the whole history. What is new is written to the cache. Unit: USD.
   */
  readonly costUsd: number;
  readonly costUncondensedUsd: number;
  /** The model whose prices these are. */
  readonly pricedAs: string;
  /** All that was sent, as the provider counted it. */
  readonly tokensByProvider: number;
}

/** Replays a log: once as it is, and once as if nothing had ever been condensed. */
export function accountOf(log: Iterable<Event>): RunAccount {
  const uncondensed = new ViewProjection();
  const condensed = new ViewProjection();
  const caches = { condensed: warmCache(), uncondensed: warmCache() };
  let known: { readonly model: string; readonly prices: TokenPrices } | undefined;
  const account = {
    steps: 0,
    condensations: 0,
    forgotten: 0,
    masked: 0,
    tokensSent: 0,
    tokensUncondensed: 0,
    peakSent: 0,
    peakUncondensed: 0,
    costUsd: 0,
    costUncondensedUsd: 0,
    tokensByProvider: 0,
  };
  for (const event of log) {
    if (event.type === 'llm-usage' && event.purpose === 'agent') {
      known ??= pricesFor(event.model, new Date(event.timestamp));
      // The usage event stands just before the answer, so both views are what this call was sent.
      const sent = event.estimatedInputTokens ?? 0;
      const whole = uncondensed.view.tokens();
      const { outputTokens } = event.usage;
      account.steps++;
      account.tokensSent += sent;
      account.tokensUncondensed += whole;
      account.peakSent = Math.max(account.peakSent, sent);
      account.peakUncondensed = Math.max(account.peakUncondensed, whole);
      account.costUsd += costOf({ ...caches.condensed(condensed.view), outputTokens }, known.prices);
      account.costUncondensedUsd += costOf({ ...caches.uncondensed(uncondensed.view), outputTokens }, known.prices);
      account.tokensByProvider += totalInputTokens(event.usage);
    }
    if (event.type === 'condensation') {
      account.condensations++;
      account.forgotten += event.forgottenEventIds.length;
      account.masked += event.redactions?.length ?? 0;
      known ??= pricesFor(usualModel, new Date(event.timestamp));
      const usage = usageOf(event);
      if (usage !== undefined) account.costUsd += costOf(usage, known.prices);
    } else if (event.type !== 'condensation-revert') {
      uncondensed.append(event);
    }
    condensed.append(event);
  }
  return { ...account, pricedAs: known?.model ?? usualModel };
}

/** The shares of tokens and of the cost that condensation saved, from 0 to 1; negative if it cost more than it saved. */
export function savedShares(account: RunAccount): { readonly tokens: number; readonly bill: number } {
  return {
    tokens: savedShare(account.tokensSent, account.tokensUncondensed),
    bill: savedShare(account.costUsd, account.costUncondensedUsd),
  };
}

/** The part that was saved of a whole, from 0 to 1. */
export function savedShare(paid: number, whole: number): number {
  return whole === 0 ? 0 : 1 - paid / whole;
}

function pricesFor(model: string, date: Date): { readonly model: string; readonly prices: TokenPrices } {
  const prices = pricesAt(model, date);
  if (prices !== undefined) return { model, prices };
  const usual = pricesAt(usualModel, date);
  if (usual === undefined) throw new Error(`The table of prices has no '${usualModel}'.`);
  return { model: usualModel, prices: usual };
}

/** What the condenser's own model used, if it asked one. */
function usageOf({ metadata }: Condensation): Usage | undefined {
  return usageSchema.safeParse(metadata?.['usage']).data;
}

/** Divides one request after the other: what the request before began with is read from the cache, the rest is written to it. */
function warmCache(): (view: View) => Omit<Usage, 'outputTokens'> {
  let before: View['events'] | undefined;
  return (view) => {
    let same = 0;
    while (same < view.events.length && view.events.at(same) === before?.at(same)) same++;
    before = view.events;
    return { uncachedInputTokens: 0, cacheReadTokens: view.tokens(0, same), cacheWriteTokens: view.tokens(same) };
  };
}
