import { costOf } from '@palimpsest/llm-adapters';
import { counterfactual, isBeyondWindow, requestOf } from './counterfactual.js';
import type { PricedRequest } from './counterfactual.js';
import type { Receipt } from './receipt.js';
import { stepsOf } from './steps.js';
import type { Step } from './steps.js';

/** What requests read and write, and what that costs. */
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

/** The bill of a conversation, beside what it would have been without the gateway. */
export interface Account {
  readonly conversation: string;
  readonly receipts: readonly Receipt[];
  /** The requests that the provider has counted, oldest first. */
  readonly steps: readonly Step[];
  /** Those that were answered, and not counted. What they cost is not known. */
  readonly uncounted: number;
  readonly failed: number;
  /** The counted ones without a price. They are in no sum of money. */
  readonly withoutPrice: number;
  /** True if a subscription's login has paid any of them. */
  readonly isSubscription: boolean;
  readonly actual: Amount;
  /** Without the gateway: if all that came back is its fault, and if the agent would have read again as much as agents do anyway. */
  readonly control: { readonly least: Amount; readonly most: Amount };
  /** What the gateway has saved, up to now. Negative: it has cost so much more. Unit: input tokens. */
  readonly savedTokens: Range;
  /** Unit: USD. @defaultValue no request has a price */
  readonly savedUsd: Range | undefined;
  readonly condensations: number;
  /** The results that brought hidden text back. */
  readonly rereads: number;
  /** The agent's own list, and its last request. Unit: tokens, as the provider counts. @defaultValue nothing was counted */
  readonly held: number | undefined;
  readonly sent: number | undefined;
  /** Unit: tokens. @defaultValue not known */
  readonly window: number | undefined;
  /** True if the agent alone would have compacted its list: nothing is saved from there on, as far as one knows. */
  readonly isBeyondWindow: boolean;
  /** True if the condenser would condense, but what came back has cost more than it may. */
  readonly isHeldBack: boolean;
  /** The newest problem, and how many requests had one. */
  readonly problem: string | undefined;
  readonly problems: number;
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
  const rereads = receipts.reduce((sum, receipt) => sum + (receipt.rereads?.results ?? 0), 0);
  const actual = amountOf(steps.map(requestOf));
  const least = amountOf(counterfactual(steps, { rereads: 'left-out' }));
  const all = amountOf(counterfactual(steps, { rereads: 'made' }));
  const most = between(least, all, rereads === 0 ? 0 : Math.min(1, (habit * steps.length) / rereads));
  const problems = receipts.flatMap(({ problem }) => problem ?? []);
  const answered = receipts.filter(({ status }) => status < 400);
  return {
    conversation: newest?.conversation ?? '',
    receipts,
    steps,
    uncounted: answered.filter(({ usage }) => usage === undefined).length,
    failed: receipts.length - answered.length,
    withoutPrice: steps.filter((step) => requestOf(step).prices === undefined).length,
    isSubscription: receipts.some(({ isSubscription }) => isSubscription),
    actual,
    control: { least, most },
    savedTokens: { least: least.inputTokens - actual.inputTokens, most: most.inputTokens - actual.inputTokens },
    savedUsd: savedUsd(actual, least, most),
    condensations: receipts.reduce((sum, { condensations }) => sum + condensations.length, 0),
    rereads,
    held: last?.held,
    sent: last?.sent,
    window: newest?.window,
    isBeyondWindow: last !== undefined && isBeyondWindow(last),
    isHeldBack: newest?.isHeldBack ?? false,
    problem: problems.at(-1),
    problems: problems.length,
  };
}

/** What several conversations have cost and saved together. */
export type Total = Pick<Account, 'actual' | 'control' | 'savedTokens' | 'savedUsd'>;

/** Returns the sums of accounts. */
export function totalOf(accounts: readonly Account[]): Total {
  const actual = sumOf(accounts.map((account) => account.actual));
  const least = sumOf(accounts.map(({ control }) => control.least));
  const most = sumOf(accounts.map(({ control }) => control.most));
  return {
    actual,
    control: { least, most },
    savedTokens: { least: least.inputTokens - actual.inputTokens, most: most.inputTokens - actual.inputTokens },
    savedUsd: savedUsd(actual, least, most),
  };
}

/** Returns the receipts of each conversation, in the order in which they were made. */
export function byConversation(receipts: Iterable<Receipt>): ReadonlyMap<string, readonly Receipt[]> {
  const found = new Map<string, Receipt[]>();
  for (const receipt of receipts) {
    const own = found.get(receipt.conversation) ?? [];
    own.push(receipt);
    found.set(receipt.conversation, own);
  }
  return found;
}

function amountOf(requests: readonly PricedRequest[]): Amount {
  return sumOf(
    requests.map(({ usage, cacheWrites, prices }) => ({
      inputTokens: usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
      outputTokens: usage.outputTokens,
      usd: prices && costOf(usage, prices, { cacheWrites }),
    })),
  );
}

function sumOf(amounts: readonly Amount[]): Amount {
  const priced = amounts.flatMap(({ usd }) => usd ?? []);
  return {
    inputTokens: amounts.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: amounts.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    usd: priced.length === 0 ? undefined : priced.reduce((sum, usd) => sum + usd, 0),
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

function savedUsd(actual: Amount, least: Amount, most: Amount): Range | undefined {
  if (actual.usd === undefined || least.usd === undefined || most.usd === undefined) return undefined;
  return { least: least.usd - actual.usd, most: most.usd - actual.usd };
}
