import { rereadsOf } from '@palimpsest/condensers';
import { usageSchema } from '@palimpsest/events';
import type { Event, EventId, LLMConvertibleEvent, LLMUsageEvent, Usage } from '@palimpsest/events';
import { costOf, noUsage, pricesAt, sumUsage, totalInputTokens } from '@palimpsest/llm-adapters';
import type { TokenPrices } from '@palimpsest/llm-adapters';
import { ViewProjection } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** Whose prices are taken where those of the model are not known: a scripted model, and one on the user's own machine. */
const usualModel = 'claude-sonnet-5-5';

/** The bill of one model for one purpose. */
export interface ModelBill {
  readonly model: string;
  /** `agent`, or the condenser that called the model. */
  readonly purpose: string;
  readonly calls: number;
  readonly usage: Usage;
  /** Unit: USD. Undefined as soon as the cost of one call is not known. */
  readonly costUsd: number | undefined;
}

/**
 * The requests of a log as they were, and as they would have been without condensation. Token counts are estimates of the view, corrected
 * by what the provider counted for the call.
 */
export interface Comparison {
  /** Model calls of the agent. */
  readonly steps: number;
  readonly condensations: number;
  /** Events that were forgotten. */
  readonly forgotten: number;
  /** Results and arguments that were masked. */
  readonly masked: number;
  /** All that was sent, over all steps. */
  readonly tokensSent: number;
  /** All that the same steps would have sent with the whole history. */
  readonly tokensUncondensed: number;
  /** The most that one step sent. */
  readonly peakSent: number;
  readonly peakUncondensed: number;
  /**
   * The cost of the calls, each at the prices of the model that made it, with a prompt cache that holds the previous request of the same
   * model. What is new is written to the cache. Calls of the condenser's own model are included, also those that came to nothing. Unit: USD.
   */
  readonly costUsd: number;
  /** The cost of the same steps with the whole history. Unit: USD. */
  readonly costUncondensedUsd: number;
  /** Results that brought back what condensing had hidden: the calls behind them. */
  readonly rereads: number;
  readonly rereadTokens: number;
  /** The cost of these, a part of `costUsd`: the results, the requests for them alone, and the model's words. Unit: USD. */
  readonly rereadCostUsd: number;
  /** The models whose prices these are, in the order of their first call. */
  readonly pricedAs: readonly string[];
  /** All that was sent, as the provider counted it. */
  readonly tokensByProvider: number;
}

/** Text that was read again after it was hidden. */
export interface Reread {
  readonly calls: number;
  /** The size of the results. Unit: tokens, as in {@link Comparison}. */
  readonly tokens: number;
  /** The cost of the calls. Unit: USD. */
  readonly usd: number;
}

/** A call at which the prompt cache could not serve the whole previous request. */
export interface CacheBreak {
  /** The usage event of the call. */
  readonly callId: EventId;
  /** The event that changed the request since the call before: a condensation, a revert, new instructions. Undefined if it is not in the log. */
  readonly cause: Event | undefined;
  /** The part that was written again. Unit: tokens, as in {@link Comparison}. */
  readonly rewrittenTokens: number;
}

/**
 * The figures of a session, or of a part of its log such as a run. They follow the log: an append costs O(1). The comparison costs as much
 * as two views of what was appended since it was last read.
 */
export class SessionFigures {
  readonly #bills = new Map<string, ModelBill>();
  readonly #comparing = new RunningComparison();
  /** Events that the comparison does not hold yet. */
  #pending: Event[] = [];
  #condensations = 0;
  #isEstimated = false;

  /** @param log - the events so far. @defaultValue none */
  constructor(log: Iterable<Event> = []) {
    for (const event of log) this.append(event);
  }

  /** Adds the next event of the log. A condenser records its calls in a condensation, or in an attempt that came to none. */
  append(event: Event): void {
    this.#pending.push(event);
    switch (event.type) {
      case 'llm-usage':
        this.#bill(event.model, event.purpose ?? 'other', event);
        break;
      case 'condensation':
        this.#condensations += 1;
        this.#bill(event.metadata?.['model'], event.metadata?.['condenser'], event.metadata ?? {});
        break;
      case 'condensation-attempt':
        this.#bill(event.data?.['model'], event.condenser, event.data ?? {});
        break;
      default:
        break;
    }
  }

  /** Model calls of the agent. */
  get steps(): number {
    return this.#agentBills.reduce((sum, { calls }) => sum + calls, 0);
  }

  get condensations(): number {
    return this.#condensations;
  }

  /** The usage of all model calls, those of condensers included. */
  get usage(): Usage {
    return sumUsage(this.bills.map(({ usage }) => usage));
  }

  /** True if the provider did not count a part of the usage: of an answer that was interrupted, for instance. */
  get isEstimated(): boolean {
    return this.#isEstimated;
  }

  /** The cost of all model calls. Unit: USD. Undefined as soon as the cost of one is not known. */
  get costUsd(): number | undefined {
    return this.bills.reduce<number | undefined>((sum, { costUsd }) => sumOf(sum, costUsd), 0);
  }

  /** The models whose prices are not known: because of them {@link SessionFigures.costUsd} is undefined. */
  get unpriced(): readonly string[] {
    return [...new Set(this.bills.flatMap(({ model, costUsd }) => (costUsd === undefined ? [model] : [])))];
  }

  /** The part of the agent's input that was read from the prompt cache: from 0 to 1. Undefined before the first call. */
  get cachedShare(): number | undefined {
    const usage = sumUsage(this.#agentBills.map((bill) => bill.usage));
    const input = totalInputTokens(usage);
    return input === 0 ? undefined : usage.cacheReadTokens / input;
  }

  /** By model and purpose, the agent's first. */
  get bills(): readonly ModelBill[] {
    return [...this.#bills.values()].sort((a, b) => Number(b.purpose === 'agent') - Number(a.purpose === 'agent'));
  }

  /** With condensation and without. */
  get comparison(): Comparison {
    return this.#compared.comparison;
  }

  /**
   * The shares of all tokens and of the bill that condensation saved, from 0 to 1; negative if it cost more. `usd` is what it saved, at the
   * prices of the model, or of a usual one where they are not known.
   */
  get saved(): { readonly tokens: number; readonly bill: number; readonly usd: number } {
    const { tokensSent, tokensUncondensed, costUsd, costUncondensedUsd } = this.comparison;
    return {
      tokens: savedShare(tokensSent, tokensUncondensed),
      bill: savedShare(costUsd, costUncondensedUsd),
      usd: costUncondensedUsd - costUsd,
    };
  }

  /**
   * Returns what was read again after condensing had hidden it. `bill` is the share of the cost that the comparison states, from 0 to 1.
   */
  get reread(): Reread & { readonly bill: number } {
    const { rereads: calls, rereadTokens: tokens, rereadCostUsd: usd, costUsd } = this.comparison;
    return { calls, tokens, usd, bill: costUsd === 0 ? 0 : usd / costUsd };
  }

  /** Returns what was read again between a condensation and the next one. */
  rereadAfter(condensation: EventId): Reread {
    return this.#compared.rereads.get(condensation) ?? nothingReread;
  }

  /** The calls that could not read the whole previous request from the prompt cache, in order. */
  get cacheBreaks(): readonly CacheBreak[] {
    return this.#compared.cacheBreaks;
  }

  get #agentBills(): readonly ModelBill[] {
    return this.bills.filter(({ purpose }) => purpose === 'agent');
  }

  get #compared(): RunningComparison {
    const events = this.#pending;
    this.#pending = [];
    for (const event of events) this.#comparing.append(event);
    return this.#comparing;
  }

  #bill(
    model: unknown,
    purpose: unknown,
    call: { readonly usage?: unknown; readonly usageIsEstimated?: unknown; readonly costUsd?: unknown },
  ): void {
    const { success, data: usage } = usageSchema.safeParse(call.usage);
    if (!success) return;
    const [name, caller] = [nameOr(model), nameOr(purpose)];
    const key = JSON.stringify([name, caller]);
    const before = this.#bills.get(key) ?? { model: name, purpose: caller, calls: 0, usage: noUsage, costUsd: 0 };
    this.#isEstimated ||= call.usageIsEstimated === true;
    this.#bills.set(key, {
      ...before,
      calls: before.calls + 1,
      usage: sumUsage([before.usage, usage]),
      costUsd: sumOf(before.costUsd, typeof call.costUsd === 'number' ? call.costUsd : undefined),
    });
  }
}

function nameOr(value: unknown): string {
  return typeof value === 'string' ? value : 'unknown';
}

function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

/** Returns the part of a whole that was saved, from 0 to 1. */
function savedShare(paid: number, whole: number): number {
  return whole === 0 ? 0 : 1 - paid / whole;
}

/** The cache of one model. */
interface PromptCache {
  readonly condensed: ReturnType<typeof warmCache>;
  readonly uncondensed: ReturnType<typeof warmCache>;
  /** The event that changed the request since its last call. */
  cause: Event | undefined;
}

const nothingReread: Reread = { calls: 0, tokens: 0, usd: 0 };

/** Replays a log: once as it is, and once as if nothing had ever been condensed. */
class RunningComparison {
  readonly #uncondensed = new ViewProjection();
  readonly #condensed = new ViewProjection();
  /** No model reads from the cache of another. */
  readonly #caches = new Map<string, PromptCache>();
  readonly #pricedAs = new Set<string>();
  #lastCall: LLMUsageEvent | undefined;
  readonly cacheBreaks: CacheBreak[] = [];
  /** By the newest condensation before. */
  readonly rereads = new Map<EventId, Reread>();
  readonly #sums = {
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
    rereads: 0,
    rereadTokens: 0,
    rereadCostUsd: 0,
    tokensByProvider: 0,
  };

  get comparison(): Comparison {
    return { ...this.#sums, pricedAs: this.#pricedAs.size === 0 ? [usualModel] : [...this.#pricedAs] };
  }

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
    const factor = countedPerEstimated(event, sent);
    if (rewrittenTokens > 0) {
      this.cacheBreaks.push({ callId: event.id, cause: cache.cause, rewrittenTokens: rewrittenTokens * factor });
    }
    cache.cause = undefined;
    const sums = this.#sums;
    sums.steps += 1;
    sums.tokensSent += sent * factor;
    sums.tokensUncondensed += whole * factor;
    sums.peakSent = Math.max(sums.peakSent, sent * factor);
    sums.peakUncondensed = Math.max(sums.peakUncondensed, whole * factor);
    sums.costUsd += costOf({ ...scaled(input, factor), outputTokens }, prices);
    sums.costUncondensedUsd += costOf({ ...scaled(uncondensed, factor), outputTokens }, prices);
    sums.tokensByProvider += totalInputTokens(event.usage);
    this.#reread(prices, factor);
    this.#lastCall = event;
  }

  /** Adds the re-reads among the results since the call before: this call is the first that is sent them. */
  #reread(prices: TokenPrices, factor: number): void {
    const { view } = this.#condensed;
    const after = this.#lastCall && view.positionOf(this.#lastCall.id);
    const found = rereadsOf(view, { after });
    const { calls, outputTokens } = found;
    const [tokens, requestTokens] = [found.tokens * factor, found.requestTokens * factor];
    const newest = view.condensations.at(-1);
    if (calls === 0 || newest === undefined) return;
    const usage = { uncachedInputTokens: 0, cacheReadTokens: requestTokens, cacheWriteTokens: tokens, outputTokens };
    const usd = costOf(usage, prices);
    this.#sums.rereads += calls;
    this.#sums.rereadTokens += tokens;
    this.#sums.rereadCostUsd += usd;
    const before = this.rereads.get(newest.id) ?? nothingReread;
    this.rereads.set(newest.id, {
      calls: before.calls + calls,
      tokens: before.tokens + tokens,
      usd: before.usd + usd,
    });
  }

  #condense(event: Extract<Event, { readonly type: 'condensation' }>): void {
    this.#sums.condensations += 1;
    this.#sums.forgotten += event.forgottenEventIds.length;
    this.#sums.masked += event.redactions?.length ?? 0;
    this.#condenserCall(event.metadata, event.timestamp);
  }

  /** Adds what the condenser's own model used, if it called one. */
  #condenserCall(record: Readonly<Record<string, unknown>> | undefined, timestamp: string): void {
    const { success, data: usage } = usageSchema.safeParse(record?.['usage']);
    if (!success) return;
    const model = record?.['model'];
    const prices = this.#pricesFor(typeof model === 'string' ? model : usualModel, timestamp);
    this.#sums.costUsd += costOf(usage, prices);
  }

  /** The prices of the model that made a call, at that time. */
  #pricesFor(model: string, timestamp: string): TokenPrices {
    const found = pricesFor(model, new Date(timestamp));
    this.#pricedAs.add(found.model);
    return found.prices;
  }

  #cacheOf(model: string): PromptCache {
    const cache = this.#caches.get(model) ?? { condensed: warmCache(), uncondensed: warmCache(), cause: undefined };
    this.#caches.set(model, cache);
    return cache;
  }
}

/** A server that reports a part of its prompts, or a sum of them, is not believed. */
const [leastFactor, mostFactor] = [0.25, 4];

/** Returns the provider's tokens for each estimated one, of one call. 1 where the provider did not count. */
function countedPerEstimated({ usage, usageIsEstimated }: LLMUsageEvent, estimated: number): number {
  const factor = estimated === 0 ? 1 : totalInputTokens(usage) / estimated;
  return usageIsEstimated === true || factor < leastFactor || factor > mostFactor ? 1 : factor;
}

function scaled(usage: Omit<Usage, 'outputTokens'>, factor: number): Omit<Usage, 'outputTokens'> {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    uncachedInputTokens: uncachedInputTokens * factor,
    cacheReadTokens: cacheReadTokens * factor,
    cacheWriteTokens: cacheWriteTokens * factor,
  };
}

/** Returns true for an event that can change the beginning of a request. An empty condensation only answers a request. */
function changesPrefix(event: Event): boolean {
  if (event.type === 'condensation') return event.forgottenEventIds.length + (event.redactions?.length ?? 0) > 0;
  return event.type === 'condensation-revert' || event.type === 'system-prompt';
}

function pricesFor(model: string, date: Date): { readonly model: string; readonly prices: TokenPrices } {
  const prices = pricesAt(model, date);
  if (prices !== undefined) return { model, prices };
  const usual = pricesAt(usualModel, date);
  if (usual === undefined) throw new Error(`The table of prices has no '${usualModel}'.`);
  return { model: usualModel, prices: usual };
}

/**
 * Divides one request after the other: what it has in common with the previous request is read from the cache, the rest is written to it.
 * Of the rest, `rewrittenTokens` stood in the previous request, or is a summary.
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

/** Returns the end of the events that an earlier view held, and the summaries that have come since. */
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
