import type { Condensation } from '@palimpsest/events';
import { cachePricesOf, costOfRewriting, isCacheCold, isReducer, newestStep } from '@palimpsest/view';
import type { CachePrices, CondenseContext, Condenser, Reduction, View } from '@palimpsest/view';
import { calibrationOf } from '../authoring/rolling/calibration.js';
import { requirementOf } from '../authoring/rolling/requirement.js';
import { eventCount, isKnownUnavailable, isStatedUnavailable } from '../authoring/rolling/rolling-condenser.js';
import { callsSinceLast, costOfRequest, isCacheUnread, ledgerOf } from './ledger.js';
import type { CallSizes, Ledger } from './ledger.js';

/** The room for a view in the model's window, and what asks for a condensation at any price. */
export interface Room {
  readonly isRequested: boolean;
  /** True if the view does not fit. */
  readonly isExceeded: boolean;
  /** True while only a condensation that makes the view fit is worth trying. */
  readonly isWaiting: boolean;
  /** Unit: tokens, as the view estimates. `Infinity` if the window is not known. */
  readonly tokens: number;
}

/** The limit on how much dearer than doing nothing a conversation may become. */
export interface Insurance {
  /** Unit: share of the bill of doing nothing. */
  readonly tolerance: number;
  /**
   * For how many more calls a reduction may be expected to save. Unit: share of the calls so far. A conversation of a few calls, of
   * which most end soon, gets less: {@link callsForHalfTheCredit}.
   */
  readonly credit: number;
}

/** The state in which the stages decide. Unit of the sizes: tokens, as the view estimates. */
export interface Situation {
  /** The view before the first stage. */
  readonly view: View;
  readonly room: Room;
  readonly insurance: Insurance;
  readonly prices: Required<CachePrices>;
  readonly ledger: Ledger;
  /** The size of what is sent beside the view. */
  readonly fixed: number;
  /** The size of the view if nothing is done. */
  readonly tokens: number;
  /** The calls since the last condensation, without the one that is about to be made. */
  readonly calls: Pick<CallSizes, 'above'>;
  /**
   * False between two model calls if the view has been condensed: a second condensation saves nothing that the first could not have
   * saved.
   */
  readonly mayPay: boolean;
  /** True if the provider has forgotten the prefix: the whole request is written in any case. */
  readonly isCold: boolean;
}

/** The decision of a stage, and the reason for it. */
export type Decision =
  | { readonly act: true; readonly reason: 'request' | 'tokens' | 'rent' | 'cold' | 'rewritten' }
  | {
      readonly act: false;
      readonly reason: 'saves-nothing' | 'not-due' | 'not-insured' | 'waits-for-room' | 'known-unavailable';
    };

/** Returns the situation of a view. Costs O(view). */
export function situationOf(view: View, context: CondenseContext, insurance: Insurance): Situation {
  const { reasons, tokenBudget = Infinity } = requirementOf(view, context, { maxSize: Infinity });
  const stated = cachePricesOf(context);
  // Without a cache that reads, each call pays for the whole request, as when it is written.
  const prices = isCacheUnread(view, context) ? { ...stated, read: stated.write } : stated;
  // Prices are per token of the provider, and so is what is sent beside the view; their ratio to the view's estimate is one.
  const fixed = (context.fixedTokens ?? 0) / calibrationOf(view, context.fixedTokens);
  const calls = callsSinceLast(view);
  return {
    view,
    room: {
      isRequested: reasons.includes('request'),
      isExceeded: reasons.includes('tokens'),
      isWaiting: isWaiting(view, calls.length),
      tokens: tokenBudget,
    },
    insurance,
    prices,
    ledger: ledgerOf(view, prices, fixed, calls, tokenBudget),
    fixed,
    tokens: view.tokens(),
    calls,
    mayPay: calls.length > 0 || view.condensations.length === 0,
    isCold: isCacheCold(view, context),
  };
}

/** Returns the name under which the log states that a stage could not act, so that it is not tried again at each step. */
export function pathOf(stage: Condenser): string {
  return `priced/${stage.name}`;
}

/**
 * Decides whether a stage acts now. A request and a view that does not fit are answered at any price, but a view that cannot fit waits.
 * Otherwise the stage acts when its reduction pays.
 *
 * @param reduction - what the stage would do to `view`; undefined if it would do nothing
 * @param view - the view as the stages before have shown it
 */
export function decide(stage: Condenser, reduction: Reduction | undefined, view: View, situation: Situation): Decision {
  if (reduction === undefined) return { act: false, reason: 'saves-nothing' };
  const { room, mayPay } = situation;
  if (room.isRequested) return { act: true, reason: 'request' };
  if (room.isExceeded && (!room.isWaiting || view.tokens() - reduction.savedTokens <= room.tokens))
    return { act: true, reason: 'tokens' };
  const decision = mayPay ? byPrice(reduction, situation) : besideAnother(reduction, view, situation);
  if (!decision.act) return room.isExceeded ? { act: false, reason: 'waits-for-room' } : decision;
  // Any other condenser has already made its condensation.
  const isKnown = isReducer(stage) && isKnownUnavailable(situation.view, pathOf(stage));
  return isKnown ? { act: false, reason: 'known-unavailable' } : decision;
}

/** The least that is worth forgetting when writing again costs nothing. Unit: share of the request. */
const leastSavedWhenCold = 0.1;

/**
 * Decides by price. Reading what the reduction would remove has cost rent at each call since the last condensation. The stage acts
 * when the rent has reached the price of writing the rest again, or when that rest is written anyway because the cache is cold. It does
 * not act if the conversation would then have cost more than the insurance allows; the rent stays due.
 *
 * @see Dooly, Goldman and Scott, "On-line analysis of the TCP acknowledgment delay problem", for the rule and its ratio of 2
 */
function byPrice(reduction: Reduction, situation: Situation): Decision {
  const { prices, fixed, tokens, isCold } = situation;
  const { savedTokens, savedShare } = reduction;
  if (savedTokens <= 0) return { act: false, reason: 'saves-nothing' };
  // Without a cache nothing is lost by writing again either.
  const isFree = isCold || prices.read >= prices.write;
  const isDue = isFree
    ? savedShare === 0 || savedTokens >= (fixed + tokens) * leastSavedWhenCold
    : rentOf(reduction, situation) >= priceOf(reduction, prices);
  if (!isDue) return { act: false, reason: 'not-due' };
  return isInsured(reduction, situation)
    ? { act: true, reason: isFree ? 'cold' : 'rent' }
    : { act: false, reason: 'not-insured' };
}

/**
 * Decides after the condensation of another stage, before the next call. If that call writes everything behind the first change in any
 * case, a stage that gains nothing by waiting goes along with it.
 */
function besideAnother(
  { savedTokens, rewrittenTokens, savedShare }: Reduction,
  view: View,
  { ledger }: Situation,
): Decision {
  const untouched = view.tokens(0, newestStep(view).start) - savedTokens - rewrittenTokens;
  const isRewritten = savedShare === 0 && savedTokens > 0 && untouched >= ledger.cached;
  return isRewritten ? { act: true, reason: 'rewritten' } : { act: false, reason: 'not-due' };
}

/** Returns the cost of reading the removable tokens since the last condensation, this call included. */
function rentOf(reduction: Reduction, { prices, tokens, calls }: Situation): number {
  const { savedTokens, savedShare = 1, readTokens } = reduction;
  if (readTokens !== undefined) return prices.read * (savedTokens + readTokens);
  // A call that sent less by x would have saved less by x × savedShare.
  const before = calls.above(savedShare > 0 ? tokens - savedTokens / savedShare : -1);
  return prices.read * (savedTokens + before.calls * (savedTokens - savedShare * tokens) + savedShare * before.tokens);
}

/** Returns the price of a reduction now: writing again what the cache holds, and the reducer's own model. */
function priceOf(reduction: Reduction, prices: Required<CachePrices>): number {
  return costOfRewriting(reduction.rewrittenTokens, prices) + modelCostOf(reduction, prices);
}

function modelCostOf(
  { modelInputTokens = 0, modelOutputTokens = 0 }: Reduction,
  { output }: Required<CachePrices>,
): number {
  return modelInputTokens + output * modelOutputTokens;
}

/** A conversation of so many calls gets half of the credit. Unit: model calls. @see decision 53 */
const callsForHalfTheCredit = 50;

/** No credit lets a conversation become dearer than this, unless the tolerance does. Unit: share of the bill of doing nothing. */
const mostLoss = 0.1;

/** What had been hidden when nothing had yet come back says little about what will. Unit: tokens. */
const hiddenToJudge = 30_000;

/**
 * Returns true if the bill, with what came back and what this reduction may bring back, and with the next call, stays within what the
 * insurance allows. What comes back saves nothing, so the credit is for the rest. What does not fit the window cannot be sent without condensing, so nothing is compared with it.
 */
function isInsured(reduction: Reduction, situation: Situation): boolean {
  const { prices, ledger, fixed, tokens, insurance, room } = situation;
  if (tokens + ledger.hidden > room.tokens) return true;
  const { savedTokens, rewrittenTokens } = reduction;
  const back = Math.min(1, ledger.rereadTokens / (hiddenToJudge + ledger.hiddenEver));
  const comesBack = prices.write * savedTokens * back;
  const isCold = situation.isCold || ledger.isCold;
  const after = fixed + Math.max(0, tokens - savedTokens);
  const fresh = Math.max(0, tokens - ledger.cached);
  const cached = isCold ? 0 : Math.max(0, after - rewrittenTokens - fresh);
  const bill = ledger.bill + comesBack + costOfRequest(after, cached, prices) + modelCostOf(reduction, prices);
  const rawCached = isCold ? 0 : fixed + ledger.rawCached;
  const rawBill = ledger.rawBill + costOfRequest(fixed + tokens + ledger.hidden, rawCached, prices);
  const { tolerance, credit } = insurance;
  const calls = ledger.calls + 1;
  const expectedCalls = credit * calls * (calls / (calls + callsForHalfTheCredit));
  const loss = Math.min(
    tolerance * rawBill + expectedCalls * prices.read * savedTokens * (1 - back),
    Math.max(tolerance, mostLoss) * rawBill,
  );
  return bill <= rawBill + loss;
}

/** The longest wait. Unit: model calls. */
const longestWait = 32;

/**
 * Returns true while a condensation that leaves the view too large for the window is not worth trying. What is sent beside the view,
 * or what always stays, may not leave enough room. Condensing at each step would then write the prompt cache anew and make no room. So
 * after one condensation that has left the view too large the next waits for 2 model calls, after two in a row for 4, and so on to 32.
 * One that makes the view fit never waits. The log states what each has left.
 *
 * @param calls - the number of model calls since the last condensation
 */
function isWaiting({ condensations }: View, calls: number): boolean {
  const fitting = condensations.findLastIndex((condensation) => !isTooLargeAfter(condensation));
  const inARow = condensations.length - 1 - fitting;
  return inARow > 0 && calls < Math.min(longestWait, 2 ** inARow);
}

function isTooLargeAfter({ metadata }: Condensation): boolean {
  return typeof metadata?.['roomTokens'] === 'number';
}

/** Reports that a view does not fit and nothing can be done about it, once. */
export function reportNoRoom(view: View, { tokens }: Room, context: CondenseContext): void {
  if (view.condensations.slice(-2).filter(isTooLargeAfter).length > 1 || isStatedUnavailable(view, 'priced')) return;
  const [size, left] = [view.tokens(), tokens].map(Math.floor);
  context.report?.({
    outcome: 'unavailable',
    reason: `the view has ${size} tokens, the window leaves ${left}, and no stage can make it fit: tools and instructions, or protected and pinned events, are too large`,
    data: { condenser: 'priced', events: eventCount(view), tokens: size, tokenBudget: left },
  });
}
