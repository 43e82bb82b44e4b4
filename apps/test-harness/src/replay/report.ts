import type { Session } from '../import/index.js';
import type { EvidenceKind } from '../measure/evidence.js';
import type { Share } from '../measure/memory.js';
import type { NeedName } from '../measure/needs.js';
import { lookShares, normalisedGain } from './looks.js';
import type { LookShares } from './looks.js';
import type { Pair, ReplayedSession } from './replayed-session.js';
import { savedWithRereads, savingsAt } from './savings.js';
import type { Savings } from './savings.js';
import { shareOf, sum } from './sums.js';
import type { SessionReplay } from './task.js';

/** The unit of all token counts: tokens of the o200k vocabulary. Beside the counter, which takes long to load. */
export const tokenUnit = 'o200k';

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
  /** What ledgers had booked at their newest condensations, as a share of what had been read again by then. @defaultValue none */
  readonly booked?: number;
}

/** The policy to begin with: over the sessions of docs/results.md it saves most. It is the default of the reference agent. */
export const recommendedPolicy = 'priced';

/** Returns true for a session that is long enough for its prices to be worth comparing. */
export function isLong({ replays: [none] }: ReplayedSession): boolean {
  return none !== undefined && none.modelCalls >= 150 && none.peakTokens >= 60_000;
}

/** Returns the sessions in which a policy condensed something, or failed. In the others every policy sends what none sends. */
export function condensedSessions(sessions: readonly ReplayedSession[]): readonly ReplayedSession[] {
  return sessions.filter(({ replays }) =>
    replays.some(
      ({ condensations, condenserErrors, tokensSent }) =>
        condensations > 0 || condenserErrors.length > 0 || tokensSent !== replays[0]?.tokensSent,
    ),
  );
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
  const looks = lookShares(pairs);
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
    ...(looks === undefined ? {} : { looks }),
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

function rereadsOf(replays: readonly SessionReplay[], modelCalls: number): ReplayRow['rereads'] {
  const needs = replays[0]?.loops.map(({ need }) => need) ?? [];
  return Object.fromEntries(
    needs.map((need): [NeedName, Rereads] => {
      const loops = replays.flatMap(({ loops: all }) => all.filter((loop) => loop.need === need));
      const [tokens, of] = [sum(loops, ({ booked }) => booked.tokens), sum(loops, ({ booked }) => booked.of)];
      return [
        need,
        {
          stepsPerHundredCalls: modelCalls === 0 ? 0 : (100 * sum(loops, ({ steps }) => steps)) / modelCalls,
          results: sum(loops, ({ results }) => results),
          tokens: sum(loops, ({ tokens }) => tokens),
          ...(of === 0 || tokens === 0 ? {} : { booked: tokens / of }),
        },
      ];
    }),
  );
}

/** Counts how often each kind of note was taken while the sessions were read. */
export function noteCounts(sessions: readonly Pick<Session, 'notes'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { notes } of sessions) {
    for (const { kind, count } of notes) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
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
