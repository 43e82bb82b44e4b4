import type { ImportNote, Session } from '../import/index.js';
import type { Bill } from '../measure/bill.js';
import { recallAt } from '../measure/controls.js';
import type { Controls } from '../measure/controls.js';
import type { EvidenceKind } from '../measure/evidence.js';
import type { Memory, Share } from '../measure/memory.js';
import type { NeedName } from '../measure/needs.js';
import type { FurtherLooks, SessionMeasures, SessionReplay } from './task.js';

/** The unit of all token counts: tokens of the o200k vocabulary. Beside the counter, which takes long to load. */
export const tokenUnit = 'o200k';

/** One session and what each condenser made of it. */
export interface ReplayedSession extends SessionMeasures {
  readonly name: string;
  readonly file: string;
  readonly format: string;
  readonly events: number;
  readonly notes: readonly ImportNote[];
  /** How often the recording agent compacted its history: the calls after that saw less than the log holds. */
  readonly recordedCompactions: number;
  readonly replays: readonly SessionReplay[];
}

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
  /** Sessions that become more than 2 % dearer. */
  readonly dearer: number;
}

/** The cost of acting at other calls than the best ones: 0.05 is 5 % more. Both ways drop the oldest steps to 15,000 tokens. */
export interface Regret {
  /** Over the sessions. */
  readonly mean: number;
  readonly worst: number;
}

/** One row of the table: one condenser over all sessions. Unit of the token counts: o200k tokens. */
export interface ReplayRow {
  readonly condenser: string;
  readonly sessions: number;
  readonly modelCalls: number;
  readonly tokensSent: number;
  /** `tokensSent` as a share of what `none` sends. */
  readonly share: number;
  /** The mean of the sessions' own shares. */
  readonly meanShare: number;
  /** The size of a request on average. */
  readonly averageTokens: number;
  /** The size of the largest request. */
  readonly peakTokens: number;
  readonly savings: readonly Savings[];
  /** The share of the evidence of later calls that was in view when it was needed; 1 if nothing was needed. */
  readonly recall: number;
  readonly recallByKind: Readonly<Record<EvidenceKind, number>>;
  /** The part of `recall` that only stubs and summaries show. */
  readonly recallInStubs: number;
  /** By the least distance from the newest source. Unit of the keys: model calls. */
  readonly recallByDistance: Readonly<Record<string, number>>;
  /**
   * 0: remembers as much as the newest events would at the same size; 1: as much as a policy that knows the future. Undefined where
   * the two hardly differ.
   */
  readonly normalisedGain?: number;
  /** Results that were hidden before any request had shown them. */
  readonly neverShown: number;
  /** What the loop reads again, by the model of need, at the prices of r = 0.05. */
  readonly rereads: Readonly<Partial<Record<NeedName, Rereads>>>;
  readonly userWords: {
    /** The share of the user's messages so far that stand whole in a request. */
    readonly messages: number;
    /** The share of the requests that show every one of them whole. */
    readonly requests: number;
  };
  /** @defaultValue none: not all was measured */
  readonly looks?: LookShares;
  readonly faultsPerHundredCalls: number;
  readonly anchorFaultsPerHundredCalls: number;
  readonly summariserCalls: { readonly calls: number; readonly inputTokens: number; readonly outputTokens: number };
  /** What the recorded agent itself wrote: words, thinking and calls. The same in every row, and in no bill. */
  readonly agentOutputTokens: number;
  /** Events in the views of the last model calls, summed over the sessions. */
  readonly eventsInViewAtEnd: number;
  readonly condensations: number;
  readonly prefixRewrites: number;
  readonly overflows: number;
  readonly refusedLists: number;
  readonly condenserErrors: number;
  readonly millisecondsPerCall: number;
}

/** The steps that a loop inserts, and the results that they read again. */
export interface Rereads {
  readonly stepsPerHundredCalls: number;
  readonly results: number;
  readonly tokens: number;
}

/** What other looks than our evidence find that a condenser remembers. */
export interface LookShares {
  /** The recall of the quoted runs of words, with the normalised gain by them. */
  readonly quotes: number;
  readonly normalisedGainByQuotes?: number;
  /** The share of the edits of old text whose quoted text stands in one piece in view; how many there are. */
  readonly hardEdits: number;
  readonly hardEditCount: number;
  /** The share of the model calls whose results look like re-reads, by their content; none of them is one. */
  readonly falseRereads: number;
  /** Beside a head of 20,000 tokens, at the prices of r = 0.05, in the open loop. */
  readonly largeHead: { readonly saved: number; readonly recall: number; readonly quotes: number };
}

/** Below these the figures that are divided by them say nothing: a saved share of the bill, a mean difference of recall. */
const leastOptimum = 0.1;
const leastGain = 0.02;

/** One replay with its session. */
interface Pair {
  readonly session: ReplayedSession;
  readonly replay: SessionReplay;
  readonly none: SessionReplay;
}

/** Returns true for a session that is long enough for its prices to be worth comparing. */
export function isLong({ replays: [none] }: ReplayedSession): boolean {
  return none !== undefined && none.modelCalls >= 150 && none.peakTokens >= 60_000;
}

/** Sums the replays of each condenser, in the order in which they ran. Savings are relative to the first. */
export function reportRows(sessions: readonly ReplayedSession[]): readonly ReplayRow[] {
  const byCondenser = new Map<string, Pair[]>();
  for (const session of sessions) {
    const [none] = session.replays;
    if (none === undefined) continue;
    for (const replay of session.replays) {
      const pair = { session, replay, none };
      const others = byCondenser.get(replay.condenser);
      if (others === undefined) byCondenser.set(replay.condenser, [pair]);
      else others.push(pair);
    }
  }
  return [...byCondenser].map(([condenser, pairs]) => rowOf(condenser, pairs));
}

function rowOf(condenser: string, pairs: readonly Pair[]): ReplayRow {
  const replays = pairs.map(({ replay }) => replay);
  const modelCalls = sum(replays, (replay) => replay.modelCalls);
  const tokensSent = sum(replays, (replay) => replay.tokensSent);
  const perHundred = (count: number): number => (modelCalls === 0 ? 0 : (100 * count) / modelCalls);
  const recall = (of: (replay: SessionReplay) => Share | undefined): number =>
    shareOf(
      sum(replays, (replay) => of(replay)?.part ?? 0),
      sum(replays, (replay) => of(replay)?.whole ?? 0),
    );
  const recallOfKind = (kind: EvidenceKind): number => recall(({ memory }) => memory.byKind[kind]);
  const distances = Object.keys(replays[0]?.memory.byDistance ?? {});
  const everything = sum(replays, ({ memory }) => memory.all.whole);
  return {
    condenser,
    sessions: pairs.length,
    modelCalls,
    tokensSent,
    share: shareOf(
      tokensSent,
      sum(pairs, ({ none }) => none.tokensSent),
    ),
    meanShare: sum(pairs, ({ replay, none }) => shareOf(replay.tokensSent, none.tokensSent)) / pairs.length,
    averageTokens: modelCalls === 0 ? 0 : tokensSent / modelCalls,
    peakTokens: Math.max(0, ...replays.map((replay) => replay.peakTokens)),
    savings: (replays[0]?.bills ?? []).map((_, index) => savingsAt(pairs, index)),
    recall: recall(({ memory }) => memory.all),
    recallByKind: {
      identifier: recallOfKind('identifier'),
      anchor: recallOfKind('anchor'),
      number: recallOfKind('number'),
    },
    recallInStubs: everything === 0 ? 0 : sum(replays, ({ memory }) => memory.onlyInStubs.part) / everything,
    recallByDistance: Object.fromEntries(
      distances.map((least) => [least, recall(({ memory }) => memory.byDistance[least])]),
    ),
    normalisedGain: normalisedGain(
      pairs,
      ({ controls }) => controls,
      ({ memory }) => memory,
    ),
    neverShown: sum(replays, (replay) => replay.neverShown),
    rereads: rereadsOf(replays, modelCalls),
    userWords: {
      messages: recall(({ userWords }) => userWords.messages),
      requests: recall(({ userWords }) => userWords.requests),
    },
    ...lookShares(pairs),
    faultsPerHundredCalls: perHundred(sum(replays, ({ faults }) => faults)),
    anchorFaultsPerHundredCalls: perHundred(sum(replays, ({ anchorFaults }) => anchorFaults)),
    agentOutputTokens: sum(pairs, ({ session }) => session.agentOutputTokens),
    summariserCalls: {
      calls: sum(replays, (replay) => replay.summariserCalls),
      inputTokens: sum(replays, ({ use }) => use.input),
      outputTokens: sum(replays, ({ use }) => use.output),
    },
    eventsInViewAtEnd: sum(replays, (replay) => replay.eventsInViewAtEnd),
    condensations: sum(replays, (replay) => replay.condensations),
    prefixRewrites: sum(replays, (replay) => replay.prefixRewrites),
    overflows: sum(replays, (replay) => replay.overflows),
    refusedLists: sum(replays, (replay) => replay.refusedLists),
    condenserErrors: sum(replays, (replay) => replay.condenserErrors.length),
    millisecondsPerCall: modelCalls === 0 ? 0 : sum(replays, (replay) => replay.milliseconds) / modelCalls,
  };
}

function savingsAt(pairs: readonly Pair[], row: number): Savings {
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
    dearer: shares.filter((share) => share < -0.02).length,
    ...(best < leastOptimum ? {} : { captured: withRereads / best }),
    atMarks: pooled((bill) => bill.atMarks),
    ...(hasLife ? { withLife: pooled((bill) => bill.withLife) } : {}),
    regret: regretOf(bills.map(({ own, optimum }) => [own?.dropsThen ?? 0, optimum?.least ?? 0])),
  };
}

/** Returns the regret of the rule RENT, by prices: what a rule that does not know the future loses against the optimum, which does. */
export function rentRegret(sessions: readonly ReplayedSession[]): readonly (Regret & { readonly prices: string })[] {
  return (sessions[0]?.optima ?? []).map(({ prices }, row) => ({
    prices,
    ...regretOf(sessions.map(({ optima }) => [optima[row]?.rent ?? 0, optima[row]?.least ?? 0])),
  }));
}

/** @param costs - of each session, and at the optimum */
function regretOf(costs: readonly (readonly [own: number, least: number])[]): Regret {
  const each = costs.map(([own, least]) => (least === 0 ? 0 : own / least - 1));
  return { mean: sum(each, (regret) => regret) / each.length, worst: Math.max(...each) };
}

function savedOf(paid: number, whole: number): number {
  return whole === 0 ? 0 : 1 - paid / whole;
}

function inLoop(pairs: readonly Pair[], row: number): Savings['inLoop'] {
  const needs = pairs[0]?.replay.loops.map(({ need }) => need) ?? [];
  return Object.fromEntries(
    needs.map((need): [NeedName, SavedInLoop] => {
      const bills = pairs.map(({ replay, none }) => ({
        paid: replay.loops.find((loop) => loop.need === need)?.costs[row] ?? 0,
        whole: none.bills[row]?.input ?? 0,
      }));
      const shares = bills.map(({ paid, whole }) => savedOf(paid, whole));
      const pooled = savedOf(
        sum(bills, ({ paid }) => paid),
        sum(bills, ({ whole }) => whole),
      );
      return [need, { pooled, worst: Math.min(...shares), dearer: shares.filter((share) => share < -0.02).length }];
    }),
  );
}

function rereadsOf(replays: readonly SessionReplay[], modelCalls: number): ReplayRow['rereads'] {
  const needs = replays[0]?.loops.map(({ need }) => need) ?? [];
  return Object.fromEntries(
    needs.map((need): [NeedName, Rereads] => {
      const loops = replays.flatMap(({ loops: all }) => all.filter((loop) => loop.need === need));
      return [
        need,
        {
          stepsPerHundredCalls: modelCalls === 0 ? 0 : (100 * sum(loops, ({ steps }) => steps)) / modelCalls,
          results: sum(loops, ({ results }) => results),
          tokens: sum(loops, ({ tokens }) => tokens),
        },
      ];
    }),
  );
}

/** Returns nothing if the looks of a session are missing. */
function lookShares(pairs: readonly Pair[]): Pick<ReplayRow, 'looks'> {
  if (pairs.some(({ replay: { looks } }) => looks === undefined)) return {};
  const share = (of: (looks: FurtherLooks) => Share): number => {
    const shares = pairs.flatMap(({ replay: { looks } }) => (looks === undefined ? [] : [of(looks)]));
    return shareOf(
      sum(shares, ({ part }) => part),
      sum(shares, ({ whole }) => whole),
    );
  };
  const gain = normalisedGain(
    pairs,
    ({ controlsByQuotes }) => controlsByQuotes,
    ({ looks }) => looks?.quotes,
  );
  return {
    looks: {
      quotes: share(({ quotes }) => quotes.all),
      ...(gain === undefined ? {} : { normalisedGainByQuotes: gain }),
      hardEdits: share(({ hardEdits }) => hardEdits),
      falseRereads: share(({ falseRereads }) => falseRereads),
      hardEditCount: sum(pairs, ({ replay }) => replay.looks?.hardEdits.whole ?? 0),
      largeHead: {
        saved: savedOf(
          sum(pairs, ({ replay }) => replay.looks?.largeHead.cost ?? 0),
          sum(pairs, ({ none }) => none.looks?.largeHead.cost ?? 0),
        ),
        recall: share(({ largeHead }) => largeHead.recall),
        quotes: share(({ largeHead }) => largeHead.quoted),
      },
    },
  };
}

/** Returns the gain over the newest events as a share of what knowing the future would gain; sums first, never a mean of ratios. */
function normalisedGain(
  pairs: readonly Pair[],
  controlsOf: (session: ReplayedSession) => Controls | undefined,
  memoryOf: (replay: SessionReplay) => Pick<Memory, 'all'> | undefined,
): number | undefined {
  let [gained, possible] = [0, 0];
  for (const { session, replay, none } of pairs) {
    const [controls, memory] = [controlsOf(session), memoryOf(replay)];
    if (controls === undefined || memory === undefined) return undefined;
    const { part, whole } = memory.all;
    const share = none.tokensSent === 0 ? 1 : replay.tokensSent / none.tokensSent;
    const lastN = recallAt(controls.lastN, share);
    gained += (whole === 0 ? 1 : part / whole) - lastN;
    possible += recallAt(controls.belady, share) - lastN;
  }
  return possible < leastGain * pairs.length ? undefined : gained / possible;
}

/** Counts how often each kind of note was taken while the sessions were read. */
export function noteCounts(sessions: readonly Pick<Session, 'notes'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { notes } of sessions) {
    for (const { kind, count } of notes) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** Returns what a row saves with re-reads: in the loop by evidence, or the estimate of the open loop if that is all there is. */
export function savedWithRereads({ inLoop, withRereads }: Pick<Savings, 'inLoop' | 'withRereads'>): number {
  return inLoop.evidence?.pooled ?? withRereads;
}

/** Returns the policy that costs least with the re-reads of what it forgot counted; none if nothing is cheaper than nothing. */
export function bestPolicy(rows: readonly ReplayRow[], price: number): string {
  const best = rows.reduce<ReplayRow | undefined>((least, row) => {
    const saved = (each: ReplayRow | undefined): number => {
      const savings = each?.savings[price];
      return savings === undefined ? 0 : savedWithRereads(savings);
    };
    return least === undefined || saved(row) > saved(least) ? row : least;
  }, undefined);
  return best?.condenser ?? '';
}

/** Returns the points that no other point beats in both: a lower bill and a higher recall. By rising bill. */
export function frontier<Point extends { readonly cost: number; readonly recall: number }>(
  points: readonly Point[],
): readonly Point[] {
  let best = -Infinity;
  return [...points]
    .sort((one, other) => one.cost - other.cost || other.recall - one.recall)
    .filter(({ recall }) => recall > best && ((best = recall), true));
}
