import { usageSchema } from '@palimpsest/events';
import type { Event, EventId, LLMConvertibleEvent, LLMUsageEvent, Usage } from '@palimpsest/events';
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
   * What the calls cost, each at the prices of the model that made it, with a prompt cache that holds the request of the same model
   * before; calls of the condenser's own model included, those that came to nothing too. And what the same steps would have cost with
   * the whole history. What is new is written to the cache. Unit: USD.
   */
  readonly costUsd: number;
  readonly costUncondensedUsd: number;
  /** The models whose prices these are, in the order of their first call. */
  readonly pricedAs: readonly string[];
  /** All that was sent, as the provider counted it. */
  readonly tokensByProvider: number;
}

/** Replays a log: once as it is, and once as if nothing had ever been condensed. */
export function accountOf(log: Iterable<Event>): RunAccount {
  const running = new RunningAccount();
  for (const event of log) running.append(event);
  return running.account;
}

/** What the prompt cache could no longer serve at a call. */
export interface CacheBreak {
  /** The usage event of the call. */
  readonly callId: EventId;
  /** What has changed the request since the call before: a condensation, a revert, new instructions. Undefined if it is not in the log. */
  readonly cause: Event | undefined;
  /** What was written again. Unit: tokens, as the view estimates. */
  readonly rewrittenTokens: number;
}

/** What the cache of one model holds. */
interface PromptCache {
  readonly condensed: ReturnType<typeof warmCache>;
  readonly uncondensed: ReturnType<typeof warmCache>;
  /** What has changed the request since its last call. */
  cause: Event | undefined;
}

/** A {@link RunAccount} that follows a log. An append costs O(1) amortised, a condensation as much as in a view. */
export class RunningAccount {
  readonly #uncondensed = new ViewProjection();
  readonly #condensed = new ViewProjection();
  /** No model reads from the cache of another. */
  readonly #caches = new Map<string, PromptCache>();
  readonly #cacheBreaks: CacheBreak[] = [];
  readonly #pricedAs = new Set<string>();
  #account: Omit<RunAccount, 'pricedAs'> = {
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

  get account(): RunAccount {
    return { ...this.#account, pricedAs: this.#pricedAs.size === 0 ? [usualModel] : [...this.#pricedAs] };
  }

  /** The view of all events so far. */
  get view(): View {
    return this.#condensed.view;
  }

  /** The calls whose request did not begin with the whole request before, in order. */
  get cacheBreaks(): readonly CacheBreak[] {
    return this.#cacheBreaks;
  }

  /** Adds the next event of the log. */
  append(event: Event): void {
    if (event.type === 'llm-usage' && event.purpose === 'agent') this.#call(event);
    if (event.type === 'condensation') this.#condense(event);
    else if (event.type !== 'condensation-revert') this.#uncondensed.append(event);
    if (event.type === 'condensation-attempt') this.#condenserCall(event.data, event.timestamp);
    if (changesPrefix(event)) for (const cache of this.#caches.values()) cache.cause = event;
    this.#condensed.append(event);
  }

  /** The usage event stands just before the answer, so both views are what this call was sent. */
  #call(event: LLMUsageEvent): void {
    const prices = this.#pricesFor(event.model, event.timestamp);
    // A log of another agent has no estimate.
    const sent = event.estimatedInputTokens ?? this.#condensed.view.tokens();
    const whole = this.#uncondensed.view.tokens();
    const { outputTokens } = event.usage;
    const cache = this.#cacheOf(event.model);
    const { rewrittenTokens, ...input } = cache.condensed(this.#condensed.view);
    const { rewrittenTokens: _, ...uncondensed } = cache.uncondensed(this.#uncondensed.view);
    if (rewrittenTokens > 0) this.#cacheBreaks.push({ callId: event.id, cause: cache.cause, rewrittenTokens });
    cache.cause = undefined;
    const before = this.#account;
    this.#account = {
      ...before,
      steps: before.steps + 1,
      tokensSent: before.tokensSent + sent,
      tokensUncondensed: before.tokensUncondensed + whole,
      peakSent: Math.max(before.peakSent, sent),
      peakUncondensed: Math.max(before.peakUncondensed, whole),
      costUsd: before.costUsd + costOf({ ...input, outputTokens }, prices),
      costUncondensedUsd: before.costUncondensedUsd + costOf({ ...uncondensed, outputTokens }, prices),
      tokensByProvider: before.tokensByProvider + totalInputTokens(event.usage),
    };
  }

  #condense(event: Extract<Event, { readonly type: 'condensation' }>): void {
    const before = this.#account;
    this.#account = {
      ...before,
      condensations: before.condensations + 1,
      forgotten: before.forgotten + event.forgottenEventIds.length,
      masked: before.masked + (event.redactions?.length ?? 0),
    };
    this.#condenserCall(event.metadata, event.timestamp);
  }

  /** What the condenser's own model used, if it asked one. */
  #condenserCall(told: Readonly<Record<string, unknown>> | undefined, timestamp: string): void {
    const { success, data: usage } = usageSchema.safeParse(told?.['usage']);
    if (!success) return;
    const model = told?.['model'];
    const prices = this.#pricesFor(typeof model === 'string' ? model : usualModel, timestamp);
    this.#account = { ...this.#account, costUsd: this.#account.costUsd + costOf(usage, prices) };
  }

  /** The prices of the model that made a call, at that time. */
  #pricesFor(model: string, timestamp: string): TokenPrices {
    const found = pricesFor(model, new Date(timestamp));
    this.#pricedAs.add(found.model);
    return found.prices;
  }

  #cacheOf(model: string): PromptCache {
    let cache = this.#caches.get(model);
    if (cache === undefined) {
      cache = { condensed: warmCache(), uncondensed: warmCache(), cause: undefined };
      this.#caches.set(model, cache);
    }
    return cache;
  }
}

/** What can change the beginning of a request. An empty condensation only answers a request. */
function changesPrefix(event: Event): boolean {
  if (event.type === 'condensation') return event.forgottenEventIds.length + (event.redactions?.length ?? 0) > 0;
  return event.type === 'condensation-revert' || event.type === 'system-prompt';
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

/**
 * Divides one request after the other: what the request before began with is read from the cache, the rest is written to it. Of the
 * rest, `rewrittenTokens` stood in the request before, or is a summary.
 */
function warmCache(): (view: View) => Omit<Usage, 'outputTokens'> & { readonly rewrittenTokens: number } {
  let before: View | undefined;
  return (view) => {
    const same = before === undefined ? 0 : sameAtStart(before, view);
    const isBroken = before !== undefined && same < before.events.length;
    const rewrittenTokens = isBroken ? view.tokens(same, endOfKnown(before, view, same)) : 0;
    before = view;
    const cacheReadTokens = view.tokens(0, same);
    return { uncachedInputTokens: 0, cacheReadTokens, cacheWriteTokens: view.tokens(same), rewrittenTokens };
  };
}

/** Where the events end that an earlier view held, and the summaries that have come since. */
function endOfKnown(before: View | undefined, { events }: View, from: number): number {
  const isKnown = (event: LLMConvertibleEvent | undefined): boolean =>
    event?.type === 'condensation-summary' || before?.indexOf(event?.id ?? '') !== undefined;
  let end = events.length;
  while (end > from && !isKnown(events.at(end - 1))) end--;
  return end;
}

function sameAtStart({ events: before }: View, { events: after }: View): number {
  let same = 0;
  while (same < after.length && after.at(same) === before.at(same)) same++;
  return same;
}
