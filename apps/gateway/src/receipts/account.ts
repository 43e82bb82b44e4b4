import { costOf } from '@palimpsest/llm-adapters';
import { counterfactual, isBeyondWindow, requestOf } from './counterfactual.js';
import type { PricedRequest } from './counterfactual.js';
import type { Receipt } from './receipt.js';
import { stepsOf } from './steps.js';
import type { Step } from './steps.js';

/** The tokens that requests read and write, and their cost. */
export interface Amount {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** @defaultValue no request has a price: it is not known, or a subscription pays */
  readonly usd: number | undefined;
}

/** A difference of which only the bounds are known. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** The figures of a conversation, or of several. */
export interface Figures {
  /** The bill. */
  readonly actual: Amount;
  /** Without the gateway: if all that came back is its fault, and if the agent would have read again as much as agents do anyway. */
  readonly control: { readonly least: Amount; readonly most: Amount };
  /** The saving of the gateway, up to now. Negative: it has cost so much more. Unit: input tokens. */
  readonly savedTokens: Range;
  /** Unit: USD. @defaultValue no request has a price */
  readonly savedUsd: Range | undefined;
  /** The requests that the provider has counted. */
  readonly counted: number;
  /** Those that were answered, and not counted. What they cost is not known. */
  readonly uncounted: number;
  readonly failed: number;
  /** The counted ones without a price. They are in no sum of money. */
  readonly withoutPrice: number;
  /** True if a subscription's login has paid any of them. */
  readonly isSubscription: boolean;
  readonly condensations: number;
  /** The results that brought hidden text back. */
  readonly rereads: number;
  /** True if the agent alone would have compacted its list by now: as far as one knows, nothing is saved from there on. */
  readonly isBeyondWindow: boolean;
  /** True if the condenser would condense, but what came back has cost more than it may. */
  readonly isHeldBack: boolean;
  /** The problems that requests went on in spite of, oldest first. */
  readonly problems: readonly string[];
}

/** The bill of a conversation, beside what it would have been without the gateway. */
export interface Account extends Figures {
  readonly conversation: string;
  readonly receipts: readonly Receipt[];
  /** The requests that the provider has counted, oldest first. */
  readonly steps: readonly Step[];
  /** The agent's own list, and its last request. Unit: tokens, as the provider counts. @defaultValue nothing was counted */
  readonly held: number | undefined;
  readonly sent: number | undefined;
  /** Unit: tokens. @defaultValue not known */
  readonly window: number | undefined;
}

/**
 * The share of calls that agents make again in any case: of ten real sessions in which nothing was condensed, 5 % of the calls brought back
 * text that the model had been shown long before. So a reread may be the gateway's fault or the agent's habit, and the saving is a range.
 * Unit: results that bring text back, for each request.
 */
export const habit = 0.05;

/** Returns the account of one conversation. A pure function of its receipts, oldest first. */
export function accountOf(receipts: readonly Receipt[]): Account {
  const steps = stepsOf(receipts);
  const last = steps.at(-1);
  const newest = receipts.at(-1);
  const rereads = sumOf(receipts, (receipt) => receipt.rereads?.results ?? 0);
  const least = amountOf(counterfactual(steps, { rereads: 'left-out' }));
  const all = amountOf(counterfactual(steps, { rereads: 'made' }));
  const most = between(least, all, rereads === 0 ? 0 : Math.min(1, (habit * steps.length) / rereads));
  const answered = receipts.filter(({ status }) => status < 400);
  return {
    conversation: newest?.conversation ?? '',
    receipts,
    steps,
    ...compared(amountOf(steps.map(requestOf)), { least, most }),
    counted: steps.length,
    uncounted: answered.filter(({ usage }) => usage === undefined).length,
    failed: receipts.length - answered.length,
    withoutPrice: steps.filter((step) => requestOf(step).prices === undefined).length,
    isSubscription: receipts.some(({ isSubscription }) => isSubscription),
    condensations: sumOf(receipts, ({ condensations }) => condensations.length),
    rereads,
    isBeyondWindow: last !== undefined && isBeyondWindow(last),
    isHeldBack: newest?.isHeldBack ?? false,
    problems: receipts.flatMap(({ problem }) => problem ?? []),
    held: last?.held,
    sent: last?.sent,
    window: newest?.window,
  };
}

/** Returns the figures of several conversations together. */
export function totalOf(accounts: readonly Figures[]): Figures {
  const control = {
    least: addedUp(accounts.map((account) => account.control.least)),
    most: addedUp(accounts.map((account) => account.control.most)),
  };
  return {
    ...compared(addedUp(accounts.map(({ actual }) => actual)), control),
    counted: sumOf(accounts, ({ counted }) => counted),
    uncounted: sumOf(accounts, ({ uncounted }) => uncounted),
    failed: sumOf(accounts, ({ failed }) => failed),
    withoutPrice: sumOf(accounts, ({ withoutPrice }) => withoutPrice),
    isSubscription: accounts.some(({ isSubscription }) => isSubscription),
    condensations: sumOf(accounts, ({ condensations }) => condensations),
    rereads: sumOf(accounts, ({ rereads }) => rereads),
    isBeyondWindow: accounts.some((account) => account.isBeyondWindow),
    isHeldBack: accounts.some(({ isHeldBack }) => isHeldBack),
    problems: accounts.flatMap(({ problems }) => problems),
  };
}

/** Returns the receipts of each conversation, in the order of their first ones. */
export function byConversation(receipts: readonly Receipt[]): readonly (readonly Receipt[])[] {
  const found = new Map<string, Receipt[]>();
  for (const receipt of receipts) {
    const own = found.get(receipt.conversation);
    if (own === undefined) found.set(receipt.conversation, [receipt]);
    else own.push(receipt);
  }
  return [...found.values()];
}

function compared(
  actual: Amount,
  control: Figures['control'],
): Pick<Figures, 'actual' | 'control' | 'savedTokens' | 'savedUsd'> {
  const { least, most } = control;
  const hasMoney = actual.usd !== undefined && least.usd !== undefined && most.usd !== undefined;
  return {
    actual,
    control,
    savedTokens: { least: least.inputTokens - actual.inputTokens, most: most.inputTokens - actual.inputTokens },
    savedUsd: hasMoney ? { least: least.usd - actual.usd, most: most.usd - actual.usd } : undefined,
  };
}

function amountOf(requests: readonly PricedRequest[]): Amount {
  return addedUp(
    requests.map(({ usage, cacheWrites, prices }) => ({
      inputTokens: usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
      outputTokens: usage.outputTokens,
      usd: prices && costOf(usage, prices, { cacheWrites }),
    })),
  );
}

function addedUp(amounts: readonly Amount[]): Amount {
  const priced = amounts.flatMap(({ usd }) => usd ?? []);
  return {
    inputTokens: sumOf(amounts, ({ inputTokens }) => inputTokens),
    outputTokens: sumOf(amounts, ({ outputTokens }) => outputTokens),
    usd: priced.length === 0 ? undefined : sumOf(priced, (usd) => usd),
  };
}

/** Returns the amount at a part of the way from one to another. */
function between(one: Amount, other: Amount, part: number): Amount {
  const at = (from: number, to: number): number => from + (to - from) * part;
  return {
    inputTokens: at(one.inputTokens, other.inputTokens),
    outputTokens: at(one.outputTokens, other.outputTokens),
    usd: one.usd === undefined || other.usd === undefined ? undefined : at(one.usd, other.usd),
  };
}

function sumOf<One>(list: readonly One[], valueOf: (one: One) => number): number {
  return list.reduce((sum, one) => sum + valueOf(one), 0);
}
