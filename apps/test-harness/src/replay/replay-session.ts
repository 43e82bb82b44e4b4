import { usualPrices } from '@palimpsest/view';
import type { Evidence } from '../measure/evidence/evidence.js';
import { firstSight } from '../measure/first-sight.js';
import { markedCacheMeter } from '../measure/marked-cache.js';
import { memoryMeter } from '../measure/memory.js';
import type { Memory } from '../measure/memory.js';
import type { Prices, TokenUse } from '../measure/money.js';
import type { SizesByCall } from '../measure/optimum.js';
import { promptMeter } from '../measure/prompt-meter.js';
import { hasTimes } from '../measure/recorded-session.js';
import type { RecordedSession } from '../measure/recorded-session.js';
import { runningBills } from './bill.js';
import type { Bill } from './bill.js';
import { condensedViews } from './condensed-views.js';
import type { CondensedView, CondensedViewsOptions } from './condensed-views.js';
import type { Policy } from './policy.js';
import { refusalChecker } from './refusal-checker.js';
import type { Refusal } from './refusals.js';
import { standIn } from './stand-in-llm.js';
import type { Summariser } from './summariser.js';
import type { TextCounter } from './token-counter.js';

/** A request that is larger than the window. */
export interface Overflow {
  readonly modelCall: number;
  /** Of the request. Unit: tokens. */
  readonly tokens: number;
  /** What the condenser did at this call. */
  readonly did: string;
}

/** What one condenser made of one recorded session. */
export interface SessionReplay {
  readonly condenser: string;
  readonly modelCalls: number;
  /** Of all requests. Unit: tokens. */
  readonly tokensSent: number;
  /** Of the largest request. Unit: tokens. */
  readonly peakTokens: number;
  /** Of each request, in the order of the calls. Unit: tokens. */
  readonly tokensByCall: readonly number[];
  /** The calls before which it condensed. */
  readonly condensedAt: readonly number[];
  /** Of the requests and, uncached, of the condenser's own model. Unit: tokens. */
  readonly use: TokenUse;
  /** Calls of the condenser's own model. */
  readonly summariserCalls: number;
  readonly bills: readonly Bill[];
  readonly memory: Omit<Memory, 'faults'>;
  /** Old sources that calls needed and did not see; those with a line among them that must be quoted exactly. */
  readonly faults: number;
  readonly anchorFaults: number;
  /** Results that were hidden before any request had shown them. */
  readonly neverShown: number;
  readonly eventsInViewAtEnd: number;
  readonly condensations: number;
  /** Calls whose messages do not begin with all that the call before them was sent. */
  readonly prefixRewrites: number;
  /** The calls of `prefixRewrites`. */
  readonly rewrittenAt: readonly number[];
  /** Calls whose request is larger than the window. */
  readonly overflows: number;
  /** The first few overflows. */
  readonly overflowed: readonly Overflow[];
  readonly refusedLists: number;
  /** The first few refusals. */
  readonly refusals: readonly (Refusal & { readonly modelCall: number })[];
  /** Calls at which the condenser failed; the view was sent as it was. */
  readonly condenserErrors: readonly { readonly modelCall: number; readonly message: string }[];
  /** Time spent in our code: folding, condensing and rendering. Unit: milliseconds. */
  readonly milliseconds: number;
}

/** Options of {@link replaySession}. */
export interface ReplayOptions {
  readonly session: RecordedSession;
  /** What each call of the session took from old events. */
  readonly evidence: readonly (readonly Evidence[])[];
  readonly count: TextCounter;
  /** What each call of the session adds, for the price of acting at other calls. */
  readonly sizes: SizesByCall;
  readonly prices: readonly Prices[];
  /** What other replays of the session found that no provider refuses: see {@link refusalChecker}. @defaultValue nothing */
  readonly soundAdditions?: Set<string>;
  /** The model that condensers ask, and what its calls used. @defaultValue {@link standIn} */
  readonly summariser?: () => Summariser;
  /** The window that condensers are told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number;
  /** A condenser that takes longer is asked no more in this session. Unit: milliseconds. @defaultValue 60,000 */
  readonly timeoutMs?: number;
  /** Called before each model call. */
  readonly onModelCall?: (done: number, of: number) => void;
}

const overflowsKept = 5;
/** Instructions and tools of a session whose log has no system prompt. Unit: tokens. */
const unloggedHead = 6_000;

/** What every request of a session holds besides its events. Unit: tokens. */
export function headOf({ kinds }: RecordedSession): number {
  return kinds.includes('system') ? 0 : unloggedHead;
}

/**
 * Goes through a recorded session: at every model call it builds the view of what had happened by then, lets the condenser
 * act, and measures what would have been sent. What the condenser forgets stays forgotten for later calls.
 *
 * A condenser is told of prices: w = 1.25 and r = 0.05. One that reads them is replayed again for each row of prices, told of that
 * row, and its bill in that row is the bill of that replay. All else is of the first.
 */
export async function replaySession(policy: Policy, options: ReplayOptions): Promise<SessionReplay> {
  let isPriced = false;
  const first = await replayOnce(policy, {
    ...options,
    pricesToTell: () => {
      isPriced = true;
      return usualPrices;
    },
  });
  if (!isPriced) return first;
  const bills: Bill[] = [];
  for (const [row, prices] of options.prices.entries()) {
    const told = { read: prices.cacheRead / prices.input, write: prices.cacheWrite / prices.input };
    const own =
      told.read === usualPrices.read && told.write === usualPrices.write
        ? first
        : await replayOnce(policy, {
            ...options,
            pricesToTell: () => ({ ...told, output: prices.output / prices.input }),
          });
    bills.push(own.bills[row] as Bill);
  }
  return { ...first, bills };
}

async function replayOnce(
  policy: Policy,
  options: ReplayOptions & Pick<CondensedViewsOptions, 'pricesToTell'>,
): Promise<SessionReplay> {
  const { session, evidence, count, contextWindow = Infinity } = options;
  const summariser = options.summariser?.() ?? standIn(count);
  const condenser = await policy.create(summariser.llm);
  const head = headOf(session);
  const measure = promptMeter(count, head);
  const marked = markedCacheMeter(count, head, hasTimes(session));
  const seen = memoryMeter(session, evidence, count);
  const refused = refusalChecker(options.soundAdditions);
  const sight = firstSight(session);
  const bills = runningBills(options.prices);
  const condenserErrors: { readonly modelCall: number; readonly message: string }[] = [];
  const tokensByCall: number[] = [];
  const [condensedAt, rewrittenAt]: [number[], number[]] = [[], []];
  const overflowed: Overflow[] = [];
  let [cacheRead, condensations, overflows, milliseconds, eventsInViewAtEnd] = [0, 0, 0, 0, 0];

  const views = condensedViews(session, condenser, { ...options, fixedTokens: head === 0 ? undefined : head });
  for await (const { modelCall, view, errors, ...made } of views) {
    condensations += made.condensations;
    if (made.condensations > 0) condensedAt.push(modelCall);
    condenserErrors.push(...errors.map((message) => ({ modelCall, message })));
    const messages = view.toMessages();
    milliseconds += performance.now() - made.startedAt;
    eventsInViewAtEnd = view.events.length;

    const { tokens, cached, rewrites } = measure(messages);
    tokensByCall.push(tokens);
    cacheRead += cached;
    bills.add(
      { cacheRead: cached, cacheWrite: tokens - cached, input: 0, output: 0 },
      marked.atCall(messages, made.at),
    );
    if (rewrites) rewrittenAt.push(modelCall);
    if (tokens > contextWindow) {
      if (overflows++ < overflowsKept) overflowed.push({ modelCall, tokens, did: reactionOf({ errors, ...made }) });
    }
    seen.atCall(modelCall, view, tokens);
    sight.atCall(modelCall, view);
    refused.atCall(modelCall, messages);
  }
  const { faults, ...memory } = seen.memory;
  const { count: refusedLists, refusals } = refused.finish();
  const { each } = summariser.used;
  const tokensSent = sum(tokensByCall, (tokens) => tokens);
  const own = { input: sum(each, ({ input }) => input), output: sum(each, ({ output }) => output) };
  return {
    condenser: policy.name,
    modelCalls: session.calls.length,
    tokensSent,
    peakTokens: tokensByCall.reduce((largest, tokens) => Math.max(largest, tokens), 0),
    tokensByCall,
    condensedAt,
    use: { cacheRead, cacheWrite: tokensSent - cacheRead, ...own },
    summariserCalls: each.length,
    bills: bills.with(each, { faults, sizes: options.sizes, rewrittenAt }),
    memory,
    faults: faults.length,
    anchorFaults: faults.filter(({ kinds }) => kinds.includes('anchor')).length,
    neverShown: sight.neverShown,
    eventsInViewAtEnd,
    condensations,
    prefixRewrites: rewrittenAt.length,
    rewrittenAt,
    overflows,
    overflowed,
    refusedLists,
    refusals,
    condenserErrors,
    milliseconds,
  };
}

/** What a condenser did at a call whose request is too large all the same. */
function reactionOf(made: Pick<CondensedView, 'condensations' | 'errors' | 'attempts'>): string {
  const [error] = made.errors;
  const [attempt] = made.attempts.slice(-1);
  if (error !== undefined) return `it failed: ${error}`;
  if (attempt !== undefined) return `it reported '${attempt.outcome}': ${attempt.reason}`;
  return made.condensations > 0 ? 'it condensed, and that was not enough' : 'nothing';
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
