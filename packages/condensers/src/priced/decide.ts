import type { Condensation } from '@palimpsest/events';
import { costOfRewriting } from '@palimpsest/view';
import type { CachePrices, CondenseContext, Reduction, View } from '@palimpsest/view';
import { requirementOf } from '../authoring/rolling/requirement.js';
import { isStatedUnavailable, sizeNow } from '../authoring/rolling/rolling-condenser.js';
import { costOfRequest } from './ledger.js';
import type { CallSizes, Ledger } from './ledger.js';

/** The state in which a reduction is judged. Unit of the sizes: tokens, as the view estimates. */
export interface Situation {
  readonly prices: Required<CachePrices>;
  readonly ledger: Ledger;
  /** What is sent beside the view. */
  readonly fixed: number;
  /** The size of the view if nothing is done. */
  readonly tokens: number;
  /** The calls since the last condensation, without the one that is about to be made. */
  readonly calls: Pick<CallSizes, 'above'>;
  /** True if the provider has forgotten the prefix: the whole request is written in any case. */
  readonly isCold: boolean;
}

/** How much dearer than doing nothing a conversation may become. */
export interface Insurance {
  /** Unit: share of the bill of doing nothing. */
  readonly tolerance: number;
  /**
   * For how many more calls a reduction may be expected to save. Unit: share of the calls so far. A conversation of a few calls, of
   * which most end soon, gets less: {@link callsForHalfTheCredit}.
   */
  readonly credit: number;
}

/** A conversation of so many calls gets half of the credit. Unit: model calls. @see decision 56 */
const callsForHalfTheCredit = 50;

/** No credit lets a conversation become dearer than this, unless the tolerance does. Unit: share of the bill of doing nothing. */
const mostLoss = 0.1;

/** Why a reduction is made, or undefined if it is not. */
type Judgement = 'rent' | 'cold' | undefined;

/** The least that is worth forgetting when writing again costs nothing. Unit: share of the request. */
const leastSavedWhenCold = 0.1;

/**
 * Whether a reduction pays now. Reading what it would remove has cost rent at each call since the last condensation. It acts when
 * the rent has reached the price of writing the rest again, or when that rest is written anyway because the cache is cold. It does
 * not act if the conversation would then have cost more than the insurance allows; the rent stays due.
 *
 * @see Dooly, Goldman and Scott, "On-line analysis of the TCP acknowledgment delay problem", for the rule and its ratio of 2
 */
export function judge(reduction: Reduction, situation: Situation, insurance: Insurance): Judgement {
  const { prices, fixed, tokens, isCold } = situation;
  const { savedTokens } = reduction;
  if (savedTokens <= 0) return undefined;
  // Without a cache nothing is lost by writing again either.
  const isFree = isCold || prices.read >= prices.write;
  const reason = isFree
    ? reduction.savedShare === 0 || savedTokens >= (fixed + tokens) * leastSavedWhenCold
      ? 'cold'
      : undefined
    : rentOf(reduction, situation) >= priceOf(reduction, prices)
      ? 'rent'
      : undefined;
  return reason !== undefined && isInsured(reduction, situation, insurance) ? reason : undefined;
}

/** What reading the removable tokens has cost since the last condensation, this call included. */
function rentOf(reduction: Reduction, { prices, tokens, calls }: Situation): number {
  const { savedTokens, savedShare = 1, readTokens } = reduction;
  if (readTokens !== undefined) return prices.read * (savedTokens + readTokens);
  // A call that sent less by x would have saved less by x × savedShare.
  const before = calls.above(savedShare > 0 ? tokens - savedTokens / savedShare : -1);
  return prices.read * (savedTokens + before.calls * (savedTokens - savedShare * tokens) + savedShare * before.tokens);
}

/** What a reduction costs now: writing again what the cache holds, and the reducer's own model. */
function priceOf(reduction: Reduction, prices: Required<CachePrices>): number {
  return costOfRewriting(reduction.rewrittenTokens, prices) + modelCostOf(reduction, prices);
}

function modelCostOf(
  { modelInputTokens = 0, modelOutputTokens = 0 }: Reduction,
  { output }: Required<CachePrices>,
): number {
  return modelInputTokens + output * modelOutputTokens;
}

/** Whether the bill, with this reduction and the next call, stays within what the insurance allows. */
function isInsured(reduction: Reduction, situation: Situation, insurance: Insurance): boolean {
  const { prices, ledger, fixed, tokens } = situation;
  const { savedTokens, rewrittenTokens } = reduction;
  const isCold = situation.isCold || ledger.isCold;
  const after = fixed + Math.max(0, tokens - savedTokens);
  const fresh = Math.max(0, tokens - ledger.cached);
  const cached = isCold ? 0 : Math.max(0, after - rewrittenTokens - fresh);
  const bill = ledger.bill + costOfRequest(after, cached, prices) + modelCostOf(reduction, prices);
  const rawCached = isCold ? 0 : fixed + ledger.rawCached;
  const rawBill = ledger.rawBill + costOfRequest(fixed + tokens + ledger.hidden, rawCached, prices);
  const { tolerance, credit } = insurance;
  const calls = ledger.calls + 1;
  const expectedCalls = credit * calls * (calls / (calls + callsForHalfTheCredit));
  const loss = Math.min(
    tolerance * rawBill + expectedCalls * prices.read * savedTokens,
    Math.max(tolerance, mostLoss) * rawBill,
  );
  return bill <= rawBill + loss;
}

/** What the model's window leaves for a view, and what asks for a condensation whatever it costs. */
export interface Room {
  readonly isRequested: boolean;
  /** True if the view does not fit. */
  readonly isExceeded: boolean;
  /** Unit: tokens, as the view estimates. `Infinity` if the window is not known. */
  readonly tokens: number;
}

export function roomOf(view: View, context: CondenseContext): Room {
  const { reasons, tokenBudget = Infinity } = requirementOf(view, context, { maxSize: Infinity });
  return { isRequested: reasons.includes('request'), isExceeded: reasons.includes('tokens'), tokens: tokenBudget };
}

/** Why a condensation is made whatever it costs. Undefined if it is not. */
export function urgencyOf(room: Room, tokensAfter: number, waits: boolean): 'request' | 'tokens' | undefined {
  if (room.isRequested) return 'request';
  return room.isExceeded && (tokensAfter <= room.tokens || !waits) ? 'tokens' : undefined;
}

/** The longest wait. Unit: model calls. */
const longestWait = 32;

/**
 * Whether a condensation that leaves the view too large for the window is not worth trying now. Where what is sent beside the view,
 * or what always stays, does not leave enough room, condensing at each step would write the prompt cache anew and make no room. So
 * after one condensation that has left the view too large the next waits for 2 model calls, after two in a row for 4, and so on to 32.
 * One that makes the view fit never waits. The log states what each has left.
 *
 * @param calls - the number of model calls since the last condensation
 */
export function isWaitingForRoom({ condensations }: View, calls: number): boolean {
  const fitting = condensations.findLastIndex((condensation) => !isTooLargeAfter(condensation));
  const inARow = condensations.length - 1 - fitting;
  return inARow > 0 && calls < Math.min(longestWait, 2 ** inARow);
}

function isTooLargeAfter({ metadata }: Condensation): boolean {
  return typeof metadata?.['roomTokens'] === 'number';
}

/** What a condensation states if it leaves the view larger than the room: how much there was. Unit: tokens. */
export function statementOf({ tokens }: Room, tokensAfter: number): { readonly roomTokens?: number } {
  return tokensAfter > tokens ? { roomTokens: Math.floor(tokens) } : {};
}

/** Reports that a view does not fit and nothing can be done about it, once. */
export function reportNoRoom(view: View, { tokens }: Room, context: CondenseContext): void {
  if (view.condensations.slice(-2).filter(isTooLargeAfter).length > 1 || isStatedUnavailable(view, 'priced')) return;
  const [size, left] = [view.tokens(), tokens].map(Math.floor);
  context.report?.({
    outcome: 'unavailable',
    reason: `the view has ${size} tokens, the window leaves ${left}, and no stage can make it fit: what is sent beside the view, or what always stays, is too large`,
    data: { condenser: 'priced', events: sizeNow(view), tokens: size, tokenBudget: left },
  });
}
