import type { Event } from '@palimpsest/events';
import { defaultPrices } from '@palimpsest/view';
import type { CachePrices } from '@palimpsest/view';
import {
  billMeter,
  costOfDrops,
  costUncondensed,
  leastCost,
  optimumTarget,
  rentRule,
  sizesByCall,
} from '../measure/bill.js';
import type { Bill } from '../measure/bill.js';
import { breakpointMeter } from '../measure/cache.js';
import { controlsOf } from '../measure/controls.js';
import { evidenceOf } from '../measure/evidence.js';
import { memoryMeter, unseenResults } from '../measure/memory.js';
import type { Prices } from '../measure/money.js';
import { recordedCache } from '../measure/recorded-cache.js';
import { hasTimes, recordedSession } from '../measure/recorded-session.js';
import { refusalMeter } from '../measure/refusals.js';
import { requestMeter } from '../measure/requests.js';
import { eventTokens, textCounter } from '../measure/tokens.js';
import { stubSummarizer, summariserFor } from './models.js';
import type { Summariser } from './models.js';
import { policyFrom } from './policy.js';
import type { Policy } from './policy.js';
import { fixedTokensOf, replaySession } from './replay-session.js';
import { storedResults } from './task.js';
import type { SessionMeasures, SessionReplay, SessionResults, SessionTask, TaskSettings } from './task.js';
import { itemTable, timelineMeter } from './timeline.js';
import type { PolicyTimeline, SessionTimeline } from './timeline.js';

/** Options of {@link sessionReplayer}. */
export interface ReplaySettings extends Omit<TaskSettings, 'summariser'> {
  /** The model that condensers call, and what its calls used. @defaultValue {@link stubSummarizer} */
  readonly summariser?: (() => Summariser) | undefined;
  /** A condenser that takes longer is called no more in this session. Unit: milliseconds. @defaultValue 60,000 */
  readonly timeoutMs?: number;
  /** True if the replays keep what a model would have read at each call. @defaultValue false */
  readonly withTimeline?: boolean;
}

/** A replayer of one session. It computes once what several replays need. */
export interface SessionReplayer {
  measures(): SessionMeasures;
  /**
   * Replays the session with a policy. The condenser is told of prices: w = 1.25 and r = 0.05. One that reads them is replayed again
   * for each row of prices, told of that row, and its bill in that row is the bill of that replay. All else is of the first.
   */
  replay(policy: Policy): Promise<SessionReplay>;
  /** Returns the replays so far, call by call. Empty without `withTimeline`. */
  timeline(): SessionTimeline;
}

/** Returns a {@link SessionReplayer} for the events of a session. */
export function sessionReplayer(events: readonly Event[], settings: ReplaySettings): SessionReplayer {
  const session = recordedSession(events);
  const count = textCounter();
  const knownValidSuffixes = new Set<string>();
  const cache = recordedCache(events);
  const evidence = evidenceOf(session);
  const tokens = eventTokens(session, count);
  const fixedTokens = fixedTokensOf(session);
  const sizes = sizesByCall(session, tokens, fixedTokens);
  const written = (_: number, index: number): boolean => ['call', 'agent'].includes(session.kinds[index] ?? '');
  const agentOutputTokens = tokens.filter(written).reduce((sum, each) => sum + each, 0);
  const table = itemTable(session, tokens, count);
  const timelines: PolicyTimeline[] = [];

  /** Makes what one replay needs: the model of the condenser, and the meters that its bill needs. */
  const begin = (prices: readonly Prices[]) => {
    const { llm, used } = settings.summariser?.() ?? stubSummarizer(count);
    const memory = memoryMeter(session, evidence, count);
    const bills = billMeter({
      prices,
      sizes,
      markedUse: breakpointMeter(count, fixedTokens, hasTimes(session)),
      faults: memory.faults,
      ownCalls: used.each,
    });
    return { meters: { memory, bills }, ownCalls: used.each, options: { ...settings, llm, count } };
  };

  /** Returns the bill of a replay with a condenser that is told of other prices. */
  const billAt = async (policy: Policy, row: Prices, pricesToTell: () => CachePrices): Promise<Bill> => {
    const { meters, options } = begin([row]);
    const { bills } = await replaySession(session, policy, meters, { ...options, pricesToTell });
    return bills[0] as Bill;
  };

  return {
    measures: () => ({
      controls: controlsOf(session, evidence, tokens, fixedTokens),
      optima: settings.prices.map((row) => ({
        prices: row.name,
        uncondensed: costUncondensed(sizes, row),
        least: leastCost(sizes, optimumTarget, row),
        rent: costOfDrops(sizes, optimumTarget, row, rentRule(row)),
        agentOutput: agentOutputTokens * row.output,
      })),
      agentOutputTokens,
      ...(cache === undefined ? {} : { recordedCache: cache }),
    }),
    replay: async (policy) => {
      let isPriced = false;
      const pricesToTell = (): CachePrices => {
        isPriced = true;
        return defaultPrices;
      };
      const { meters, ownCalls, options } = begin(settings.prices);
      const found = await replaySession(
        session,
        policy,
        {
          ...meters,
          requests: requestMeter(settings.contextWindow),
          refused: refusalMeter(knownValidSuffixes),
          unseen: unseenResults(session),
          ...(settings.withTimeline === true && { timeline: timelineMeter(policy.name, table, meters.memory.faults) }),
        },
        { ...options, pricesToTell },
      );
      if (found.timeline !== undefined) timelines.push(found.timeline);
      const { faults, ...memory } = found.memory;
      const { cacheRead, ...requests } = found.requests;
      const sumOf = (of: 'input' | 'output'): number => ownCalls.reduce((sum, use) => sum + use[of], 0);
      const bills: Bill[] = [];
      for (const [index, row] of settings.prices.entries()) {
        const told = { read: row.cacheRead / row.input, write: row.cacheWrite / row.input };
        const isAsTold = !isPriced || (told.read === defaultPrices.read && told.write === defaultPrices.write);
        const own = isAsTold
          ? found.bills[index]
          : await billAt(policy, row, () => ({ ...told, output: row.output / row.input }));
        bills.push(own as Bill);
      }
      return {
        condenser: policy.name,
        ...requests,
        ...found.refused,
        use: {
          cacheRead,
          cacheWrite: requests.tokensSent - cacheRead,
          input: sumOf('input'),
          output: sumOf('output'),
        },
        summariserCalls: ownCalls.length,
        bills,
        memory,
        faults: faults.length,
        anchorFaults: faults.filter(({ kinds }) => kinds.includes('anchor')).length,
        neverShown: found.unseen,
      };
    },
    timeline: () => {
      const { texts, items, logged, calls } = table;
      return { texts, items, logged, calls, policies: timelines };
    },
  };
}

/** Runs a task. Each result is stored as soon as it is there, so that nothing is computed twice. */
export async function runTask(task: SessionTask): Promise<SessionResults> {
  const { events, policies, withTimeline } = task;
  const { summariser, ...settings } = task.settings;
  const stored = storedResults(task);
  let wasStored = true;
  let replayer: SessionReplayer | undefined;
  const replayerOfEvents = (): SessionReplayer => {
    wasStored = false;
    const options = { ...settings, summariser: summariserFor(summariser), withTimeline };
    return (replayer ??= sessionReplayer(JSON.parse(events) as readonly Event[], options));
  };
  let measures = await stored.read('measures');
  if (measures === undefined) await stored.write('measures', (measures = replayerOfEvents().measures()));
  const replays: SessionReplay[] = [];
  for (const [index, { name, source }] of policies.entries()) {
    let replay = withTimeline ? undefined : await stored.read(index);
    if (replay === undefined) {
      replay = await replayerOfEvents().replay(policyFrom(name, source));
      await stored.write(index, replay);
    }
    replays.push({ ...replay, condenser: name });
  }
  return { measures, replays, wasStored, ...(withTimeline && { timeline: JSON.stringify(replayer?.timeline()) }) };
}
