import type { Event } from '@palimpsest/events';
import { defaultPrices } from '@palimpsest/view';
import type { CachePrices } from '@palimpsest/view';
import { billMeter } from '../measure/bill.js';
import type { Bill } from '../measure/bill.js';
import { breakpointMeter } from '../measure/cache.js';
import { controlsOf } from '../measure/controls.js';
import {
  costOfDrops,
  costUncondensed,
  leastCost,
  lossTolerated,
  optimumTarget,
  rentRule,
  sizesByCall,
} from '../measure/drops.js';
import { evidenceOf } from '../measure/evidence.js';
import { falseRereadMeter } from '../measure/false-rereads.js';
import { hardEditMeter } from '../measure/hard-edits.js';
import { loopMeter } from '../measure/loop.js';
import type { Loop, LoopTotals } from '../measure/loop.js';
import { memoryMeter, unseenResults } from '../measure/memory.js';
import type { Memory } from '../measure/memory.js';
import { priceRows, toldOf } from '../measure/money.js';
import type { Prices, TokenUse } from '../measure/money.js';
import { evidenceNeed, missedNeeds, newestNeed } from '../measure/needs.js';
import type { Need, NeedName } from '../measure/needs.js';
import { quotesOf } from '../measure/quotes.js';
import { recordedCache } from '../measure/recorded-cache.js';
import { hasTimes, recordedSession } from '../measure/recorded-session.js';
import { refusalMeter } from '../measure/refusals.js';
import { requestMeter } from '../measure/requests.js';
import { eventTokens, textCounter } from '../measure/tokens.js';
import { userWordMeter } from '../measure/user-words.js';
import type { Policy } from './named-policy.js';
import { fixedTokensOf, replaySession } from './replay-session.js';
import { stubSummarizer } from './stub-summarizer.js';
import type { Summariser } from './stub-summarizer.js';
import type { FurtherLooks, SessionMeasures, SessionReplay, TaskSettings } from './task.js';
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
  let quoted: ReturnType<typeof quotesOf> | undefined;
  const quotes = () => (quoted ??= quotesOf(session));
  const tokens = eventTokens(session, count);
  const fixedTokens = fixedTokensOf(session);
  const sizes = sizesByCall(session, tokens, fixedTokens);
  const written = (_: number, index: number): boolean => ['call', 'agent'].includes(session.kinds[index] ?? '');
  const agentOutputTokens = tokens.filter(written).reduce((sum, each) => sum + each, 0);
  const table = itemTable(session, tokens, count);
  const timelines: PolicyTimeline[] = [];

  /** Makes the model of the condenser for one replay. */
  const begin = () => {
    const { llm, used } = settings.summariser?.() ?? stubSummarizer(count);
    return { ownCalls: used.each, options: { ...settings, llm, count } };
  };

  const needs = new Map(needsToMeasure(settings).map((name): [NeedName, Need] => [name, needOf(name)]));

  function needOf(name: NeedName): Need {
    if (name === 'newest') return newestNeed(session);
    return evidenceNeed(session, name === 'quotes' ? quotes() : evidence);
  }

  /** Makes the meters that the bills of one replay need: in the open loop, and in the closed one where it differs. */
  const billMeters = (prices: readonly Prices[], ownCalls: readonly TokenUse[]) => {
    const memory = memoryMeter(session, evidence, count);
    const markedUse = breakpointMeter(count, fixedTokens, hasTimes(session));
    const bills = billMeter({ prices, sizes, markedUse, faults: memory.faults, ownCalls });
    return { memory, bills, missed: missedNeeds(session, needs) };
  };

  /** Replays with a condenser that is told of other prices. */
  const replayAt = async (policy: Policy, row: Prices): Promise<OpenLoop> => {
    const { ownCalls, options } = begin();
    const pricesToTell = (): CachePrices => toldOf(row);
    return replaySession(session, policy, billMeters([row], ownCalls), { ...options, pricesToTell });
  };

  /** Returns the totals with re-reads in the loop. Where no call missed anything they are those of the open loop. */
  const loopAt = async (
    policy: Policy,
    name: NeedName,
    prices: readonly Prices[],
    pricesToTell: () => CachePrices,
    { bills, missed }: OpenLoop,
  ): Promise<LoopTotals> => {
    if (!missed.has(name))
      return { steps: 0, results: 0, tokens: 0, booked: { tokens: 0, of: 0 }, costs: bills.map(({ input }) => input) };
    const { ownCalls, options } = begin();
    const meters = { loop: loopMeter(prices, count, ownCalls) };
    const need = needs.get(name);
    return (await replaySession(session, policy, meters, { ...options, pricesToTell, need })).loop;
  };

  /** Returns the loop by one model of need. A row of prices of which the condenser was told has an open loop of its own. */
  const loopOf = async (
    policy: Policy,
    need: NeedName,
    found: OpenLoop,
    own: ReadonlyMap<number, OpenLoop>,
  ): Promise<Loop> => {
    const { prices } = settings;
    const all = await loopAt(policy, need, prices, () => defaultPrices, found);
    const costs = [...all.costs];
    for (const [index, open] of own) {
      const row = prices[index] as Prices;
      costs[index] = (await loopAt(policy, need, [row], () => toldOf(row), open)).costs[0] ?? 0;
    }
    return { need, ...all, costs };
  };

  /** Replays beside a head of {@link largeHeadTokens}, at the prices that condensers are told of. */
  const besideLargeHead = async (policy: Policy): Promise<FurtherLooks['largeHead']> => {
    const { ownCalls, options } = begin();
    const meters = {
      loop: loopMeter(priceRows.filter(isDefault), count, ownCalls),
      memory: memoryMeter(session, evidence, count),
      quoted: memoryMeter(session, quotes(), count),
    };
    const changed = { ...options, pricesToTell: () => defaultPrices, fixedTokens: largeHeadTokens };
    const { loop, memory, quoted } = await replaySession(session, policy, meters, changed);
    return { cost: loop.costs[0] ?? 0, recall: memory.all, quoted: quoted.all };
  };

  return {
    measures: () => ({
      controls: controlsOf(session, evidence, tokens, fixedTokens),
      ...(settings.all === true && { controlsByQuotes: controlsOf(session, quotes(), tokens, fixedTokens) }),
      optima: settings.prices.map((row) => ({
        prices: row.name,
        uncondensed: costUncondensed(sizes, row),
        least: leastCost(sizes, optimumTarget, row),
        insuredLeast: leastCost(sizes, optimumTarget, row, lossTolerated),
        rent: costOfDrops(sizes, optimumTarget, row, rentRule(row)),
        insuredRent: costOfDrops(sizes, optimumTarget, row, rentRule(row, lossTolerated)),
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
      const { ownCalls, options } = begin();
      const meters = billMeters(settings.prices, ownCalls);
      const found = await replaySession(
        session,
        policy,
        {
          ...meters,
          userWords: userWordMeter(session),
          ...(settings.all === true && {
            quotes: memoryMeter(session, quotes(), count),
            hardEdits: hardEditMeter(session),
            falseRereads: falseRereadMeter(session),
          }),
          requests: requestMeter(settings.contextWindow),
          refused: refusalMeter(knownValidSuffixes),
          unseen: unseenResults(session),
          ...(settings.withTimeline === true && { timeline: timelineMeter(policy.name, table, meters.memory.faults) }),
        },
        { ...options, pricesToTell },
      );
      if (found.timeline !== undefined) timelines.push(found.timeline);
      const { faults } = found.memory;
      const { cacheRead, ...requests } = found.requests;
      const sumOf = (of: 'input' | 'output'): number => ownCalls.reduce((sum, use) => sum + use[of], 0);
      const own = new Map<number, OpenLoop>();
      for (const [index, row] of settings.prices.entries())
        if (isPriced && !isDefault(row)) own.set(index, await replayAt(policy, row));
      const bills = found.bills.map((bill, index) => own.get(index)?.bills[0] ?? bill);
      const loops: Loop[] = [];
      for (const need of needs.keys()) loops.push(await loopOf(policy, need, found, own));
      const { quotes: byQuotes, hardEdits, falseRereads } = found;
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
        memory: withoutFaults(found.memory),
        faults: faults.length,
        anchorFaults: faults.filter(({ kinds }) => kinds.includes('anchor')).length,
        neverShown: found.unseen,
        userWords: found.userWords,
        loops,
        ...(byQuotes !== undefined &&
          hardEdits !== undefined &&
          falseRereads !== undefined && {
            looks: {
              quotes: withoutFaults(byQuotes),
              hardEdits,
              falseRereads,
              largeHead: await besideLargeHead(policy),
            },
          }),
      };
    },
    timeline: () => {
      const { texts, items, logged, calls } = table;
      return { texts, items, logged, calls, policies: timelines };
    },
  };
}

/** The size of a large head. Unit: tokens. */
const largeHeadTokens = 20_000;

/** The bills of a replay in which nothing is read again, and the needs of which a call missed something. */
interface OpenLoop {
  readonly bills: readonly Bill[];
  readonly missed: ReadonlySet<NeedName>;
}

function isDefault(row: Prices): boolean {
  const { read, write } = toldOf(row);
  return read === defaultPrices.read && write === defaultPrices.write;
}

/** A model that is really asked is not asked again for the loop, unless all is wanted. */
function needsToMeasure({ all, summariser }: ReplaySettings): readonly NeedName[] {
  if (all === true) return ['evidence', 'quotes', 'newest'];
  return summariser === undefined ? ['evidence'] : [];
}

function withoutFaults({ faults: _, ...memory }: Memory): Omit<Memory, 'faults'> {
  return memory;
}
