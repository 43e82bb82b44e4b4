import { recallAt } from '../measure/controls.js';
import type { Controls } from '../measure/controls.js';
import type { Memory, Share } from '../measure/memory.js';
import type { Pair, ReplayedSession } from './replayed-session.js';
import { savedOf, shareOf, sum } from './sums.js';
import type { FurtherLooks, SessionReplay } from './task.js';

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

/** If the controls differ by less in the mean, a gain between them says nothing. */
const leastGain = 0.02;

/** Returns what the further looks find. Undefined if those of a session are missing. */
export function lookShares(pairs: readonly Pair[]): LookShares | undefined {
  if (pairs.some(({ replay: { looks } }) => looks === undefined)) return undefined;
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
  };
}

/** Returns the gain over the newest events as a share of what knowing the future would gain; sums first, never a mean of ratios. */
export function normalisedGain(
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
