import type { View } from '@palimpsest/view';
import type { Evidence } from '../measure/evidence/evidence.js';
import { memoryMeter } from '../measure/memory.js';
import type { Memory } from '../measure/memory.js';
import { costOf, rereadCost } from '../measure/money.js';
import type { Prices, TokenUse } from '../measure/money.js';
import { promptMeter } from '../measure/prompt-meter.js';
import type { RecordedSession } from '../measure/recorded-session.js';
import { condensedViews } from './condensed-views.js';
import type { Policy } from './policy.js';
import type { Refusal } from './refusals.js';
import { standIn } from './stand-in-llm.js';
import type { TextCounter } from './token-counter.js';

/** What the requests of a replay cost, without and with the calls that read again what the view no longer shows. */
export interface Bill {
  readonly prices: string;
  /** @defaultValue tokens of uncached input */
  readonly unit?: 'USD';
  readonly input: number;
  readonly withRereads: number;
}

/** What one condenser made of one recorded session. */
export interface SessionReplay {
  readonly condenser: string;
  readonly modelCalls: number;
  /** Of all requests. Unit: tokens. */
  readonly tokensSent: number;
  /** Of the largest request. Unit: tokens. */
  readonly peakTokens: number;
  /** Of the requests and, uncached, of the condenser's own model. Unit: tokens. */
  readonly use: TokenUse;
  readonly bills: readonly Bill[];
  readonly memory: Omit<Memory, 'faults'>;
  /** Old sources that calls needed and did not see; those with a line among them that must be quoted exactly. */
  readonly faults: number;
  readonly anchorFaults: number;
  readonly eventsInViewAtEnd: number;
  readonly condensations: number;
  /** Calls whose messages do not begin with all that the call before them was sent. */
  readonly prefixRewrites: number;
  /** Calls whose request is larger than the window. */
  readonly overflows: number;
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
  readonly prices: readonly Prices[];
  readonly findRefusals: (messages: ReturnType<View['toMessages']>) => readonly Refusal[];
  /** The window that condensers are told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number;
  /** A condenser that takes longer is asked no more in this session. Unit: milliseconds. @defaultValue 60,000 */
  readonly timeoutMs?: number;
  /** Called before each model call. */
  readonly onModelCall?: (done: number, of: number) => void;
}

const refusalsKept = 5;
/** Instructions and tools of a session whose log has no system prompt. Unit: tokens. */
const unloggedHead = 6_000;

/** What every request of a session holds besides its events. Unit: tokens. */
export function headOf({ kinds }: RecordedSession): number {
  return kinds.includes('system') ? 0 : unloggedHead;
}

/**
 * Goes through a recorded session: at every model call it builds the view of what had happened by then, lets the condenser
 * act, and measures what would have been sent. What the condenser forgets stays forgotten for later calls.
 */
export async function replaySession(policy: Policy, options: ReplayOptions): Promise<SessionReplay> {
  const { session, evidence, count, contextWindow = Infinity } = options;
  const summariser = standIn(count);
  const condenser = await policy.create(summariser.llm);
  const head = headOf(session);
  const measure = promptMeter(count, head);
  const seen = memoryMeter(session, evidence, count);
  const refusals: (Refusal & { readonly modelCall: number })[] = [];
  const condenserErrors: { readonly modelCall: number; readonly message: string }[] = [];
  const billed: number[] = [];
  let [tokensSent, cacheRead, peakTokens, overflows] = [0, 0, 0, 0];
  let [condensations, prefixRewrites, refusedLists, milliseconds, eventsInViewAtEnd] = [0, 0, 0, 0, 0];

  const views = condensedViews(session, condenser, { ...options, fixedTokens: head === 0 ? undefined : head });
  for await (const { modelCall, view, errors, ...made } of views) {
    condensations += made.condensations;
    condenserErrors.push(...errors.map((message) => ({ modelCall, message })));
    const messages = view.toMessages();
    milliseconds += performance.now() - made.startedAt;
    eventsInViewAtEnd = view.events.length;

    const { tokens, cached, rewrites } = measure(messages);
    tokensSent += tokens;
    cacheRead += cached;
    const use = { cacheRead: cached, cacheWrite: tokens - cached, input: 0, output: 0 };
    options.prices.forEach((prices, row) => (billed[row] = (billed[row] ?? 0) + costOf(use, prices)));
    peakTokens = Math.max(peakTokens, tokens);
    if (rewrites) prefixRewrites++;
    if (tokens > contextWindow) overflows++;
    seen.atCall(modelCall, view, tokens);
    const refused = options.findRefusals(messages);
    if (refused.length > 0) refusedLists++;
    for (const refusal of refused.slice(0, refusalsKept - refusals.length)) refusals.push({ ...refusal, modelCall });
  }
  const { faults, ...memory } = seen.memory;
  const { input, output } = summariser.used;
  const bills = options.prices.map((prices, row): Bill => {
    const paid = (billed[row] ?? 0) + sum(summariser.used.each, (use) => costOf(use, prices));
    return {
      prices: prices.name,
      unit: prices.unit,
      input: paid,
      withRereads: paid + sum(faults, (fault) => rereadCost(fault, prices)),
    };
  });
  return {
    condenser: policy.name,
    modelCalls: session.calls.length,
    tokensSent,
    peakTokens,
    use: { cacheRead, cacheWrite: tokensSent - cacheRead, input, output },
    bills,
    memory,
    faults: faults.length,
    anchorFaults: faults.filter(({ kinds }) => kinds.includes('anchor')).length,
    eventsInViewAtEnd,
    condensations,
    prefixRewrites,
    overflows,
    refusedLists,
    refusals,
    condenserErrors,
    milliseconds,
  };
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
