import { loopMeter } from '../measure/loop.js';
import { priceRows, toldOf } from '../measure/money.js';
import type { Prices } from '../measure/money.js';
import type { Need } from '../measure/needs.js';
import { recordedSession } from '../measure/recorded-session.js';
import type { Meter } from '../measure/replayed-call.js';
import { textCounter } from '../measure/tokens.js';
import type { TextCounter } from '../measure/tokens.js';
import { stubSummarizer } from '../replay/stub-summarizer.js';
import { none } from '../replay/named-policy.js';
import { policyFrom } from '../replay/policy.js';
import type { NamedSource, Policy } from '../replay/named-policy.js';
import { replaySession } from '../replay/replay-session.js';
import { hostileSession, nameOfSet } from './sets.js';
import type { HostileSession, HostileSet } from './sets.js';

/** What a policy makes of one set at some prices, beside doing nothing. */
export interface HostileResult {
  readonly policy: string;
  readonly prices: string;
  readonly set: string;
  /** The length of the session. */
  readonly steps: number;
  /** The saving over the whole session; negative if the policy makes it dearer. */
  readonly saved: number;
  /** The most by which all that was paid so far exceeded that of doing nothing: 0.1 is 10 % more. */
  readonly worstMoment: number;
  /** The steps that read a file again. */
  readonly rereads: number;
}

/** The prices of the results: those with a cache. */
const hostilePrices: readonly Prices[] = priceRows.filter(({ cacheRead, input }) => cacheRead < input);

/** A set to replay, as data that can be sent to another thread. */
export interface SetTask {
  readonly set: HostileSet;
  readonly steps: number;
  readonly policies: readonly NamedSource[];
}

/** Runs a task. */
export function runSet({ set, steps, policies }: SetTask): Promise<readonly HostileResult[]> {
  return replaySet(
    set,
    steps,
    policies.map(({ name, source }) => policyFrom(name, source)),
  );
}

/**
 * Replays the session of a set with each policy. Before each step, the file that it needs is read again if its text does not stand whole
 * in view. A policy that reads prices is replayed again for each row of them. No window is told, so doing nothing is always possible.
 *
 * @param steps - of the session
 */
export async function replaySet(
  set: HostileSet,
  steps: number,
  policies: readonly Policy[],
): Promise<readonly HostileResult[]> {
  const session = hostileSession(set, steps);
  const count = textCounter();
  const [idle, ...own] = await Promise.all([none, ...policies].map((policy) => replayedSet(session, policy, count)));
  return policies.flatMap(({ name }, index) =>
    hostilePrices.map(({ name: prices }, row): HostileResult => {
      const { paid = [], rereads = 0 } = own[index]?.[row] ?? {};
      const paidByNone = idle?.[row]?.paid ?? [];
      return {
        policy: name,
        prices,
        set: nameOfSet(set),
        steps,
        saved: 1 - (paid.at(-1) ?? 0) / (paidByNone.at(-1) ?? 1),
        worstMoment: Math.max(...paid.map((sum, call) => sum / (paidByNone[call] ?? Infinity) - 1)),
        rereads,
      };
    }),
  );
}

/** A replay of a set: what was paid up to each recorded call, and how many steps read a file again. */
interface ReplayedSet {
  readonly paid: readonly number[];
  readonly rereads: number;
}

/** Returns the replay of a session at each row of prices. */
async function replayedSet(
  session: HostileSession,
  policy: Policy,
  count: TextCounter,
): Promise<readonly ReplayedSet[]> {
  let isPriced = false;
  const [first, ...others] = hostilePrices;
  if (first === undefined) return [];
  const atAll = await replayedAt(session, policy, count, hostilePrices, () => {
    isPriced = true;
    return first;
  });
  if (!isPriced) return atAll;
  const own: ReplayedSet[] = atAll.slice(0, 1);
  for (const row of others) own.push(...(await replayedAt(session, policy, count, [row], () => row)));
  return own;
}

/** Replays a session with a policy that is told of one row of prices, and returns what that costs at some rows. */
async function replayedAt(
  { events, needs }: HostileSession,
  policy: Policy,
  count: TextCounter,
  prices: readonly Prices[],
  told: () => Prices,
): Promise<readonly ReplayedSet[]> {
  const session = recordedSession(events);
  const { llm, used } = stubSummarizer(count);
  const need: Need = (modelCall, { isWhole }) => {
    const file = needs[modelCall] ?? 0;
    // A call that reads the file for the first time needs nothing.
    return file >= (session.calls[modelCall] ?? 0) || isWhole(file) ? [] : [file];
  };
  const loop = loopMeter(prices, count, used.each);
  const paid = prices.map((): number[] => []);
  const sofar: Meter<undefined> = {
    atCall: ({ index }) => {
      for (const [row, cost] of loop.result().costs.entries()) (paid[row] ?? [])[index] = cost;
    },
    result: () => undefined,
  };
  const pricesToTell = () => toldOf(told());
  const found = await replaySession(session, policy, { loop, sofar }, { count, llm, need, pricesToTell });
  return paid.map((each) => ({ paid: each, rereads: found.loop.steps }));
}
