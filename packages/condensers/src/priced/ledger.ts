import type { Condensation, Event, EventId, LLMConvertibleEvent, LLMUsageEvent, Usage } from '@palimpsest/events';
import { expectedCacheRead } from '@palimpsest/llm-adapters';
import { cachePricesOf } from '@palimpsest/view';
import type { CachePrices, CondenseContext, View } from '@palimpsest/view';
import { changeOf, removedBy } from './change.js';
import { rereadsIn } from '../digest/rereads.js';
import type { Reread } from '../digest/rereads.js';

/**
 * The cost of a conversation's model calls, and what they would have cost without condensing, as the view estimates both.
 * Unit of the bills: the price of an uncached input token. Unit of the sizes: tokens of the view, without what is sent beside it.
 */
export interface Ledger {
  /** The number of model calls. */
  readonly calls: number;
  readonly bill: number;
  /** The bill of doing nothing. */
  readonly rawBill: number;
  /** The part of the view that the prompt cache holds. */
  readonly cached: number;
  /** The part of it that the cache would hold if nothing had been condensed. */
  readonly rawCached: number;
  /** The size that doing nothing would send beside the view: what condensing has removed, without what came back. */
  readonly hidden: number;
  /** The size that condensing has ever removed. */
  readonly hiddenEver: number;
  /** The size of the results that have brought hidden text back. */
  readonly rereadTokens: number;
  /** True if the cache does not hold what is sent beside the view either. */
  readonly isCold: boolean;
}

const empty: Ledger = {
  calls: 0,
  bill: 0,
  rawBill: 0,
  cached: 0,
  rawCached: 0,
  hidden: 0,
  hiddenEver: 0,
  rereadTokens: 0,
  isCold: true,
};

/**
 * Returns the ledger of a view: what the newest condensation with a ledger states, and the calls since then. So a restart, a replay and a
 * fork find the same numbers in the log. Costs O(view).
 *
 * Condensations of others since then count with what they removed; calls that they have forgotten do not count.
 *
 * @param fixed - the size of what is sent beside the view. Unit: tokens, as the view estimates.
 * @param newest - the calls since the newest condensation
 * @param room - what the model's window holds of a view. Doing nothing sends no more. Unit: tokens, as the view estimates
 */
export function ledgerOf(
  view: View,
  prices: CachePrices,
  fixed: number,
  newest: CallSizes = callsSinceLast(view),
  room = Infinity,
): Ledger {
  const { read, write } = prices;
  const { condensations } = view;
  const last = condensations.findLast((condensation) => readLedger(condensation) !== undefined);
  const stated = (last && readLedger(last)) ?? empty;
  const calls = last === condensations.at(-1) ? newest : callsAfter(view, last && view.positionOf(last.id));
  const others = othersSince(view, last);
  const again = rereadsIn(view, { after: last && view.positionOf(last.id), fixedTokens: fixed });
  const ledger: Ledger = {
    ...withCalls(view, calls, stated, { others, again, prices, room }),
    hiddenEver: stated.hiddenEver + others.reduce((sum, { removed }) => sum + Math.max(0, removed), 0),
    rereadTokens: again.reduce((sum, { tokens }) => sum + tokens, stated.rereadTokens),
  };
  if (calls.length === 0) return ledger;
  // The same is sent beside the view at each call: it is written once if the cache did not hold it, and read at the others.
  const beside = fixed * (read * calls.length + (stated.isCold ? write - read : 0));
  const madeAgain = again.filter(({ isAlone }) => isAlone).length;
  const rawBill = ledger.rawBill + beside - fixed * read * madeAgain;
  return { ...ledger, bill: ledger.bill + beside, rawBill, isCold: false };
}

/**
 * Adds the calls since a ledger was stated, the condensations of others between them, and what came back: doing nothing would not have read it
 * a second time, so neither the results nor the requests for them alone are in the other bill.
 */
function withCalls(
  view: View,
  calls: CallSizes,
  ledger: Ledger,
  {
    others,
    again,
    prices,
    room,
  }: {
    readonly others: readonly Other[];
    readonly again: readonly Reread[];
    readonly prices: CachePrices;
    readonly room: number;
  },
): Ledger {
  let { bill, rawBill, cached, rawCached, hidden } = ledger;
  // What others have removed since was sent by the calls before.
  let missing = others.reduce((sum, { removed }) => sum + removed, 0);
  let next = 0;
  const condenseUpTo = (position: number): void => {
    for (let other = others[next]; other !== undefined && other.position < position; other = others[++next]) {
      missing -= other.removed;
      hidden = Math.max(0, hidden + other.removed);
      cached = Math.max(0, cached - other.removed);
    }
  };
  const { output } = cachePricesOf({ prices });
  const madeAgain = new Set(again.flatMap(({ response, isAlone }) => (isAlone ? [response] : [])));
  let sent = 0;
  const readAgainUpTo = (index: number): void => {
    for (let one = again[sent]; one !== undefined && one.index < index; one = again[++sent]) {
      hidden = Math.max(0, hidden - one.tokens - one.outputTokens);
      bill += output * one.outputTokens;
    }
  };
  for (let call = 0; call < calls.length; call++) {
    if (next < others.length) condenseUpTo(view.positionOf(calls.idAt(call)) ?? Infinity);
    if (sent < again.length) readAgainUpTo(view.indexOf(calls.idAt(call)) ?? Infinity);
    const size = Math.max(0, calls.at(call) + missing);
    bill += costOfRequest(size, cached, prices);
    cached = size;
    if (madeAgain.has(calls.idAt(call))) continue;
    const rawSize = Math.max(size, Math.min(size + hidden, room));
    rawBill += costOfRequest(rawSize, rawCached, prices);
    rawCached = rawSize;
  }
  condenseUpTo(Infinity);
  readAgainUpTo(Infinity);
  return { ...ledger, calls: ledger.calls + calls.length, bill, rawBill, cached, rawCached, hidden };
}

/** A condensation without a ledger. */
interface Other {
  readonly position: number;
  /** Unit: tokens. */
  readonly removed: number;
}

function othersSince(view: View, last: Condensation | undefined): readonly Other[] {
  const { condensations } = view;
  const others = condensations.slice(last === undefined ? 0 : condensations.lastIndexOf(last) + 1);
  const removed = removedBy(view, others);
  return others.map(({ id }, index) => ({ position: view.positionOf(id) ?? 0, removed: removed[index] ?? 0 }));
}

/** Returns the cost of a request of which the cache holds a part. Unit: the price of an uncached input token. */
export function costOfRequest(size: number, cached: number, { read, write }: CachePrices): number {
  const found = Math.min(size, cached);
  return read * found + write * (size - found);
}

const amounts = ['calls', 'bill', 'rawBill', 'cached', 'rawCached', 'hidden'] as const satisfies (keyof Ledger)[];
/** Those that ledgers of older logs do not have. */
const newAmounts = ['hiddenEver', 'rereadTokens'] as const satisfies (keyof Ledger)[];

/** Returns the ledger in the metadata of a condensation. Undefined if there is none, or it is not one. */
function readLedger({ metadata }: Condensation): Ledger | undefined {
  const { ledger } = metadata ?? {};
  if (typeof ledger !== 'object' || ledger === null) return undefined;
  const stated = { ...empty, ...(ledger as Readonly<Partial<Record<keyof Ledger, unknown>>>) };
  const isOne = Object.hasOwn(ledger, 'isCold') && amounts.every((key) => Object.hasOwn(ledger, key));
  return isOne &&
    [...amounts, ...newAmounts].every((key) => isAmount(stated[key])) &&
    typeof stated.isCold === 'boolean'
    ? (stated as Ledger)
    : undefined;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/**
 * Returns a condensation that states the ledger as it is before the call that follows, with what the cache still holds of it. One that
 * leaves the view too large for the window also states the room that there was.
 */
export function withLedger(
  condensation: Condensation,
  view: View,
  before: {
    readonly prices: Required<CachePrices>;
    readonly ledger: Ledger;
    readonly isCold: boolean;
    readonly room: { readonly tokens: number };
  },
  reason: string,
): Condensation {
  const { prices, ledger, isCold, room } = before;
  const { savedTokens, untouchedTokens } = changeOf(view, condensation);
  const tokensBefore = view.tokens();
  const tokensAfter = tokensBefore - savedTokens;
  const stated: Ledger = {
    ...ledger,
    bill: ledger.bill + costOfModel(condensation, prices),
    cached: isCold ? 0 : Math.min(ledger.cached, untouchedTokens),
    rawCached: isCold ? 0 : ledger.rawCached,
    hidden: Math.max(0, ledger.hidden + savedTokens),
    hiddenEver: ledger.hiddenEver + Math.max(0, savedTokens),
    isCold: isCold || ledger.isCold,
  };
  return Object.freeze({
    ...condensation,
    metadata: Object.freeze({
      ...condensation.metadata,
      reason,
      tokensBefore,
      tokensAfter,
      ...(tokensAfter > room.tokens ? { roomTokens: Math.floor(room.tokens) } : {}),
      ledger: stated,
    }),
  });
}

/** Returns the cost of a condensation's model. Unit: the price of an uncached input token. */
function costOfModel({ metadata = {} }: Condensation, { read, write, output }: Required<CachePrices>): number {
  const { usage } = metadata;
  if (typeof usage !== 'object' || usage === null) return 0;
  const tokens = (kind: keyof Usage): number => {
    const count = (usage as Readonly<Partial<Record<keyof Usage, unknown>>>)[kind];
    return typeof count === 'number' && Number.isFinite(count) ? Math.max(0, count) : 0;
  };
  return (
    tokens('uncachedInputTokens') +
    write * tokens('cacheWriteTokens') +
    read * tokens('cacheReadTokens') +
    output * tokens('outputTokens')
  );
}

/**
 * The sizes of a view at the model calls that were made after an event of the log, oldest first. A call sent everything before its
 * response, so sizes never fall. Calls whose response is no longer in the view are left out. Unit: tokens, as the view estimates.
 */
export interface CallSizes {
  readonly length: number;
  at(call: number): number;
  /** The id of the first event of the response. */
  idAt(call: number): EventId;
  /** The calls that sent more than so many tokens: how many, and the sum of their sizes. Costs O(log calls). */
  above(tokens: number): { readonly calls: number; readonly tokens: number };
}

/**
 * Returns the calls after a position of the log; undefined for all. Costs O(view).
 *
 * @param after - the position in the log
 */
function callsAfter(view: View, after: number | undefined): CallSizes {
  const indices: number[] = [];
  /** The sum of the sizes at all calls before each one, and of all. Unit: tokens. */
  const sums = [0];
  let sum = 0;
  for (let index = 0; index < view.events.length; index++) {
    const event = view.events[index] as LLMConvertibleEvent;
    // Only the model's own events begin a response.
    if (event.type !== 'action' && event.type !== 'message') continue;
    const { id } = event;
    if (view.responseOf(id) !== id || (after !== undefined && (view.positionOf(id) ?? Infinity) <= after)) continue;
    indices.push(index);
    sums.push((sum += view.tokens(0, index)));
  }
  const at = (call: number): number => view.tokens(0, indices[call]);
  return {
    length: indices.length,
    at,
    idAt: (call) => (view.events[indices[call] as number] as LLMConvertibleEvent).id,
    above: (tokens) => {
      const first = firstOf(0, indices.length, (call) => at(call) > tokens);
      return { calls: indices.length - first, tokens: sum - (sums[first] as number) };
    },
  };
}

/** Returns the calls since the newest condensation. Costs O(view). */
export function callsSinceLast(view: View): CallSizes {
  const last = view.condensations.at(-1);
  return callsAfter(view, last && view.positionOf(last.id));
}

/** Returns the first of some ascending numbers for which a statement is true; `end` if there is none. */
function firstOf(start: number, end: number, isTrue: (number: number) => boolean): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Fewer misses may be chance. Unit: answers. */
const missesToBelieve = 3;
/** The number of newest answers that are looked at. */
const searched = 32;
/** For caches whose life nobody states. Unit: milliseconds. */
const usualLifeMs = 4 * 60_000;
/** The largest least prefix that a vendor caches. Unit: tokens. */
const cacheMinimumTokens = 4_096;

/**
 * Returns true if the provider's cache does not work: the newest three answers that should have read from it report that nothing was read.
 * False as soon as one reads again, and where the log has no reported usage.
 */
export function isCacheUnread({ internalEvents }: View, { cacheLifeMs = usualLifeMs }: CondenseContext): boolean {
  const facts = { cacheLifeMs, cacheMinimumTokens };
  let answered: LLMUsageEvent | undefined;
  let [misses, looked] = [0, 0];
  let isRewritten = false;
  for (let index = internalEvents.length - 1; index >= 0 && looked <= searched; index--) {
    const event = internalEvents[index] as Event;
    if (event.type === 'condensation' || event.type === 'condensation-revert') isRewritten = true;
    if (!isAnswer(event)) continue;
    looked++;
    if (answered !== undefined) {
      if (answered.usage.cacheReadTokens > 0) return false;
      const pair = { previous: requestOf(event), answered: requestOf(answered), facts };
      const isComparable = answered.usageIsEstimated !== true && !isRewritten;
      if (isComparable && expectedCacheRead(pair) > 0 && ++misses === missesToBelieve) return true;
    }
    answered = event;
    isRewritten = false;
  }
  return false;
}

function isAnswer(event: Event): event is LLMUsageEvent {
  return event.type === 'llm-usage' && (event.purpose ?? 'agent') === 'agent';
}

function requestOf({ model, usage, timestamp }: LLMUsageEvent) {
  return { model, usage, at: Date.parse(timestamp) };
}
