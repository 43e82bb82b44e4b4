import { loopMeter } from '../measure/loop.js';
import { priceRows } from '../measure/money.js';
import type { Prices } from '../measure/money.js';
import type { Need } from '../measure/needs.js';
import { recordedSession } from '../measure/recorded-session.js';
import type { Meter } from '../measure/replayed-call.js';
import { textCounter } from '../measure/tokens.js';
import type { TextCounter } from '../measure/tokens.js';
import { stubSummarizer } from '../replay/stub-summarizer.js';
import { none } from '../replay/named-policy.js';
import type { Policy } from '../replay/named-policy.js';
import { replaySession } from '../replay/replay-session.js';
import { hostileSession, nameOfSet } from './sets.js';
import type { HostileSession, HostileSet } from './sets.js';

/** What a policy makes of one set at some prices, beside doing nothing. */
export interface HostileResult {
  readonly policy: string;
  readonly prices: string;
  readonly set: string;
  /** The saving over the whole session; negative if the policy makes it dearer. */
  readonly saved: number;
  /** The most by which all that was paid so far exceeded that of doing nothing: 0.1 is 10 % more. */
  readonly worstMoment: number;
  /** The steps that read a file again. */
  readonly rereads: number;
}

/** A policy over all sets, at some prices. */
export interface HostileRow {
  readonly policy: string;
  readonly prices: string;
  readonly mean: number;
  readonly worst: number;
  readonly worstSet: string;
  readonly worstMoment: number;
  readonly worstMomentSet: string;
}

/** The prices of the report: those with a cache. */
export const hostilePrices: readonly Prices[] = priceRows.filter(({ cacheRead, input }) => cacheRead < input);

/**
 * Replays the session of each set with each policy, which is told of the prices. Before each step, the file that it needs is read again if
 * its text does not stand whole in view.
 *
 * @param steps - of each session
 */
export async function* replaySets(
  policies: readonly Policy[],
  sets: readonly HostileSet[],
  steps: number,
): AsyncGenerator<HostileResult> {
  const count = textCounter();
  for (const set of sets) {
    const session = hostileSession(set, steps);
    for (const prices of hostilePrices) {
      const idle = await replayedSet(session, none, prices, count);
      for (const policy of policies) {
        const own = await replayedSet(session, policy, prices, count);
        yield {
          policy: policy.name,
          prices: prices.name,
          set: nameOfSet(set),
          saved: 1 - (own.paid.at(-1) ?? 0) / (idle.paid.at(-1) ?? 1),
          worstMoment: Math.max(...own.paid.map((paid, call) => paid / (idle.paid[call] ?? Infinity) - 1)),
          rereads: own.rereads,
        };
      }
    }
  }
}

/** Sums the results of each policy at each row of prices, in the order in which they came. */
export function hostileRows(results: readonly HostileResult[]): readonly HostileRow[] {
  const groups = new Map<string, HostileResult[]>();
  for (const result of results) {
    const name = JSON.stringify([result.policy, result.prices]);
    groups.set(name, [...(groups.get(name) ?? []), result]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [HostileResult];
    const worst = group.reduce((least, each) => (each.saved < least.saved ? each : least), first);
    const moment = group.reduce((most, each) => (each.worstMoment > most.worstMoment ? each : most), first);
    return {
      policy: first.policy,
      prices: first.prices,
      mean: group.reduce((sum, { saved }) => sum + saved, 0) / group.length,
      worst: worst.saved,
      worstSet: worst.set,
      worstMoment: moment.worstMoment,
      worstMomentSet: moment.set,
    };
  });
}

/** Returns what was paid up to each recorded call of a session, and how many steps read a file again. */
async function replayedSet(
  { events, needs }: HostileSession,
  policy: Policy,
  prices: Prices,
  count: TextCounter,
): Promise<{ readonly paid: readonly number[]; readonly rereads: number }> {
  const session = recordedSession(events);
  const { input, cacheRead, cacheWrite, output } = prices;
  const { llm, used } = stubSummarizer(count);
  const need: Need = (modelCall, { isWhole }) => {
    const file = needs[modelCall] ?? 0;
    // A call that reads the file for the first time needs nothing.
    return file >= (session.calls[modelCall] ?? 0) || isWhole(file) ? [] : [file];
  };
  const loop = loopMeter([prices], count, used.each);
  const paid: number[] = [];
  const sofar: Meter<readonly number[]> = {
    atCall: ({ index }) => void (paid[index] = loop.result().costs[0] ?? 0),
    result: () => paid,
  };
  const found = await replaySession(
    session,
    policy,
    { loop, sofar },
    {
      count,
      llm,
      need,
      pricesToTell: () => ({ read: cacheRead / input, write: cacheWrite / input, output: output / input }),
    },
  );
  return { paid: found.sofar, rereads: found.loop.steps };
}
