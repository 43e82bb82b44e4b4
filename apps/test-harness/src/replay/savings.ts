import type { Bill } from '../measure/bill.js';
import { lossTolerated } from '../measure/drops.js';
import type { NeedName } from '../measure/needs.js';
import type { Pair, ReplayedSession } from './replayed-session.js';
import { savedOf, sum } from './sums.js';
import type { SessionOptimum } from './task.js';

/** Saved money as shares of what doing nothing costs: 0 to 1, negative if the condenser makes the sessions dearer. */
export interface Savings {
  readonly prices: string;
  /** Of both bills. @defaultValue tokens of uncached input */
  readonly unit?: 'USD';
  /** The bills of all sessions, with this condenser and with none. */
  readonly bill: number;
  readonly billOfNone: number;
  /** The part of `bill` that the condenser's own model calls cost. */
  readonly summariserBill: number;
  /** What the recorded agent's own words and calls cost, as output: the same for every condenser, and in no bill. */
  readonly agentOutputBill: number;
  /** With re-reads in the loop, by each model of need that was measured. */
  readonly inLoop: Readonly<Partial<Record<NeedName, SavedInLoop>>>;
  /** The bills of all sessions together, in the open loop: nothing is read again. */
  readonly pooled: number;
  /** The same, with an estimate of the cost of reading again what the view did not show. */
  readonly withRereads: number;
  /** The mean over the sessions. */
  readonly mean: number;
  readonly worst: number;
  readonly worstSession: string;
  readonly worstWithRereads: number;
  /** Sessions that become more than 2 % dearer. */
  readonly dearer: number;
  /**
   * `withRereads` as a share of what the optimum saves, which drops to 15,000 tokens and knows the future. Undefined where the
   * optimum saves less than a tenth of the bill: of short sessions there is nothing to capture.
   */
  readonly captured?: number;
  /** `pooled`, if the cache works at marks alone: four, with a look-back of 20 blocks. */
  readonly atMarks: number;
  /** The same, and what was not read for five minutes is gone. Of the sessions whose log has times; undefined if none has. */
  readonly withLife?: number;
  /** What this condenser's choice of the calls at which it acts costs more than the best choice, whatever it left. */
  readonly regret: Regret;
}

/** What a condenser saves if what calls need is read again before them: that costs, takes room, and may be forgotten again. */
export interface SavedInLoop {
  /** Of the bills of all sessions together. */
  readonly pooled: number;
  readonly worst: number;
  readonly worstSession: string;
  /** Sessions that become more than 2 % dearer. */
  readonly dearer: number;
}

/** The cost of acting at other calls than the best ones: 0.05 is 5 % more. */
export interface Regret {
  /** Over the sessions. */
  readonly mean: number;
  readonly worst: number;
}

/** If the optimum saves less of the bill, a share of what it saves says nothing. */
const leastOptimum = 0.1;

/** Sums the bills of a condenser at a row of prices. */
export function savingsAt(pairs: readonly Pair[], row: number): Savings {
  const bills = pairs.map(({ session, replay, none }) => ({
    session,
    own: replay.bills[row],
    none: none.bills[row],
    optimum: session.optima[row],
  }));
  const [first] = bills;
  const pooled = (of: (bill: Bill) => number | undefined): number => {
    const known = bills.filter(({ none }) => none !== undefined && of(none) !== undefined);
    return savedOf(
      sum(known, ({ own }) => (own && of(own)) ?? 0),
      sum(known, ({ none }) => (none && of(none)) ?? 0),
    );
  };
  const shares = bills.map(({ own, none }) => savedOf(own?.input ?? 0, none?.input ?? 0));
  const worst = Math.min(...shares);
  const again = bills.map(({ own, none }) => [own?.withRereads ?? 0, none?.input ?? 0] as const);
  const withRereads = savedOf(
    sum(again, ([paid]) => paid),
    sum(again, ([, whole]) => whole),
  );
  const best = savedOf(
    sum(bills, ({ optimum }) => optimum?.least ?? 0),
    sum(bills, ({ optimum }) => optimum?.uncondensed ?? 0),
  );
  const hasLife = bills.some(({ none }) => none?.withLife !== undefined);
  return {
    prices: first?.own?.prices ?? '',
    ...(first?.own?.unit === undefined ? {} : { unit: first.own.unit }),
    bill: sum(bills, ({ own }) => own?.input ?? 0),
    billOfNone: sum(bills, ({ none }) => none?.input ?? 0),
    summariserBill: sum(bills, ({ own }) => own?.summariser ?? 0),
    agentOutputBill: sum(bills, ({ optimum }) => optimum?.agentOutput ?? 0),
    inLoop: inLoop(pairs, row),
    pooled: pooled((bill) => bill.input),
    withRereads,
    mean: sum(shares, (share) => share) / shares.length,
    worst,
    worstSession: bills[shares.indexOf(worst)]?.session.name ?? '',
    worstWithRereads: Math.min(...again.map(([paid, whole]) => savedOf(paid, whole))),
    dearer: shares.filter(isDearer).length,
    ...(best < leastOptimum ? {} : { captured: withRereads / best }),
    atMarks: pooled((bill) => bill.atMarks),
    ...(hasLife ? { withLife: pooled((bill) => bill.withLife) } : {}),
    regret: meanAndWorst(bills.map(({ own }) => own?.regret ?? 0)),
  };
}

function isDearer(saved: number): boolean {
  return saved < -lossTolerated;
}

/** The regret of a rule that is no condenser, by prices. */
export interface RuleRegret {
  readonly rule: string;
  readonly regret: readonly (Regret & { readonly prices: string })[];
}

const rules: readonly { readonly rule: string; readonly cost: (optimum: SessionOptimum) => number }[] = [
  { rule: 'RENT', cost: ({ rent }) => rent },
  { rule: 'RENT, insured', cost: ({ insuredRent }) => insuredRent },
  { rule: 'optimum, insured', cost: ({ insuredLeast }) => insuredLeast },
];

/**
 * Returns the regret of the rules that condensers are compared with: of RENT, which does not know the future, what an online rule can
 * reach; of RENT, insured, the same if no session may be more than 2 % dearer than doing nothing, wherever it ends; of the optimum, insured,
 * the least that this leaves possible.
 */
export function ruleRegrets(sessions: readonly ReplayedSession[]): readonly RuleRegret[] {
  return rules.map(({ rule, cost }) => ({
    rule,
    regret: (sessions[0]?.optima ?? []).map(({ prices }, row) => ({
      prices,
      ...meanAndWorst(
        sessions.flatMap(({ optima: { [row]: optimum } }) =>
          optimum === undefined ? [] : [optimum.least === 0 ? 0 : cost(optimum) / optimum.least - 1],
        ),
      ),
    })),
  }));
}

function meanAndWorst(regrets: readonly number[]): Regret {
  return { mean: sum(regrets, (regret) => regret) / regrets.length, worst: Math.max(...regrets) };
}

function inLoop(pairs: readonly Pair[], row: number): Savings['inLoop'] {
  const needs = pairs[0]?.replay.loops.map(({ need }) => need) ?? [];
  return Object.fromEntries(
    needs.map((need): [NeedName, SavedInLoop] => {
      const bills = pairs.map(({ session, replay, none }) => ({
        session: session.name,
        paid: replay.loops.find((loop) => loop.need === need)?.costs[row] ?? 0,
        whole: none.bills[row]?.input ?? 0,
      }));
      const shares = bills.map(({ paid, whole }) => savedOf(paid, whole));
      const pooled = savedOf(
        sum(bills, ({ paid }) => paid),
        sum(bills, ({ whole }) => whole),
      );
      const worst = Math.min(...shares);
      const worstSession = bills[shares.indexOf(worst)]?.session ?? '';
      return [need, { pooled, worst, worstSession, dearer: shares.filter(isDearer).length }];
    }),
  );
}

/** Returns what a row saves with re-reads: in the loop by evidence, or the estimate of the open loop if that is all there is. */
export function savedWithRereads({ inLoop, withRereads }: Pick<Savings, 'inLoop' | 'withRereads'>): number {
  return inLoop.evidence?.pooled ?? withRereads;
}

/** The bill of the input, with what is read again. Unit: that of the prices. */
export function billWithRereads(savings: Savings): number {
  return savings.billOfNone * (1 - savedWithRereads(savings));
}
