import { randomNumbers } from '../random-numbers.js';
import type { ReplayedSession } from './replayed-session.js';
import { sum } from './sums.js';
import type { SessionReplay } from './task.js';

/** A difference between two policies over the same sessions, as a share: 0.01 is one point. */
export interface PairedDifference {
  readonly difference: number;
  /** The bounds between which 95 % of the differences lie if the sessions are drawn anew, with replacement. */
  readonly low: number;
  readonly high: number;
  /** Sessions whose own difference has the sign of the whole; of how many in which the two differ. */
  readonly sameSign: number;
  readonly differing: number;
}

/** A policy beside the one that the others are compared with. */
export interface PairedRow {
  readonly condenser: string;
  /** In the loop, by evidence. */
  readonly saved: readonly (PairedDifference & { readonly prices: string })[];
  readonly recall: PairedDifference;
}

/** Policies beside the first that is not `none`. */
export interface Paired {
  readonly beside: string;
  readonly rows: readonly PairedRow[];
}

/** The difference in one session, and what the share of the session is a share of. */
export interface SessionDifference {
  readonly difference: number;
  readonly whole: number;
}

const resamples = 2_000;
const seed = 1;

/**
 * Returns the difference of a share that is the sum over the sessions by the sum of what it is a share of, with an interval by bootstrap over the
 * sessions: the same for the same sessions.
 *
 * @see Efron and Tibshirani, "An Introduction to the Bootstrap", chapter 13, for the interval by percentiles
 */
export function pairedDifference(sessions: readonly SessionDifference[]): PairedDifference {
  const difference = ratioOf(sessions);
  const random = randomNumbers(seed);
  const drawn = Array.from({ length: resamples }, () =>
    ratioOf(sessions.map(() => sessions[Math.floor(random() * sessions.length)] as SessionDifference)),
  ).sort((one, other) => one - other);
  // What differs by less is the rounding of a sum.
  const differing = sessions.filter((each) => Math.abs(each.difference) > 1e-9 * each.whole);
  return {
    difference,
    low: drawn[Math.floor(0.025 * resamples)] ?? 0,
    high: drawn[Math.ceil(0.975 * resamples) - 1] ?? 0,
    sameSign: differing.filter((each) => Math.sign(each.difference) === Math.sign(difference)).length,
    differing: differing.length,
  };
}

function ratioOf(sessions: readonly SessionDifference[]): number {
  const whole = sum(sessions, (each) => each.whole);
  return whole === 0 ? 0 : sum(sessions, ({ difference }) => difference) / whole;
}

/** Returns what the policies save and remember beside the first. Undefined without two of them, two sessions, and a loop that was measured. */
export function pairedRows(sessions: readonly ReplayedSession[]): Paired | undefined {
  const [, first, ...others] = sessions[0]?.replays ?? [];
  if (first === undefined || others.length === 0 || sessions.length < 2 || !isInLoop(first)) return undefined;
  const rows = others.map(({ condenser, bills }, position): PairedRow => {
    const pairs = sessions.flatMap(({ replays: [none, one, ...rest] }) => {
      const other = rest[position];
      return none === undefined || one === undefined || other === undefined ? [] : [{ none, one, other }];
    });
    return {
      condenser,
      saved: bills.map(({ prices }, row) => ({
        prices,
        ...pairedDifference(
          pairs.map(({ none, one, other }) => ({
            difference: costInLoop(one, row) - costInLoop(other, row),
            whole: none.bills[row]?.input ?? 0,
          })),
        ),
      })),
      recall: pairedDifference(
        pairs.map(({ one, other }) => ({
          difference: other.memory.all.part - one.memory.all.part,
          whole: one.memory.all.whole,
        })),
      ),
    };
  });
  return { beside: first.condenser, rows };
}

function isInLoop({ loops }: SessionReplay): boolean {
  return loops.some(({ need }) => need === 'evidence');
}

function costInLoop({ loops }: SessionReplay, row: number): number {
  return loops.find(({ need }) => need === 'evidence')?.costs[row] ?? 0;
}
