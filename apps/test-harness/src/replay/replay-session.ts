import { eventFactory } from '@palimpsest/events';
import type { CreateEvent, Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { condenseUntilSettled, ViewProjection } from '@palimpsest/view';
import type { AttemptReport, CachePrices, Condenser } from '@palimpsest/view';
import { messageOf } from '../harness-error.js';
import { prefixMeter } from '../measure/cache.js';
import type { Need } from '../measure/needs.js';
import type { RecordedSession } from '../measure/recorded-session.js';
import type { CondensedCall, Meter } from '../measure/replayed-call.js';
import type { TextCounter } from '../measure/tokens.js';
import type { Policy } from './named-policy.js';
import { rereader } from './rereads.js';

/** Options of {@link condensedCalls}. */
export interface CondensedCallsOptions {
  /** The window that the condenser is told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number | undefined;
  /** The prices that the condenser is told of. Called when it reads them. @defaultValue none */
  readonly pricesToTell?: (() => CachePrices) | undefined;
  /** A condenser that takes longer is called no more in this session. Unit: milliseconds. @defaultValue 60,000 */
  readonly timeoutMs?: number | undefined;
  /** What calls need. What a call does not see of it is read again before. @defaultValue nothing: the loop is open */
  readonly need?: Need | undefined;
  /** The size of what every request holds besides the view. Unit: tokens. @defaultValue {@link fixedTokensOf} */
  readonly fixedTokens?: number | undefined;
}

/** Options of {@link replaySession}. */
export interface ReplayOptions extends CondensedCallsOptions {
  /** The model that the condenser calls. */
  readonly llm: LLM;
  readonly count: TextCounter;
}

/** The results of the meters of a replay, by the meter's name. */
export type Measured<Meters> = {
  readonly [Name in keyof Meters]: Meters[Name] extends Meter<infer Result> | undefined ? Result : never;
};

/** Instructions and tools of a session whose log has no system prompt. Unit: tokens. */
const assumedFixedTokens = 6_000;

/** Returns the size of the part of every request that is not in the session's events. Unit: tokens. */
export function fixedTokensOf({ kinds }: RecordedSession): number {
  return kinds.includes('system') ? 0 : assumedFixedTokens;
}

/** Replays a session with a policy. Each meter hears of each model call, in order, and its result is returned under its name. */
export async function replaySession<Meters extends Readonly<Record<string, Meter<unknown>>>>(
  session: RecordedSession,
  policy: Policy,
  meters: Meters,
  options: ReplayOptions,
): Promise<Measured<Meters>> {
  const prefix = prefixMeter(options.count, options.fixedTokens ?? fixedTokensOf(session));
  const listening = Object.values(meters);
  for await (const call of condensedCalls(session, await policy.create(options.llm), options)) {
    const messages = call.view.toMessages();
    const milliseconds = performance.now() - call.startedAt;
    const replayed = { ...call, messages, milliseconds, prompt: prefix(messages) };
    for (const meter of listening) meter.atCall(replayed);
  }
  return Object.fromEntries(Object.entries(meters).map(([name, meter]) => [name, meter.result()])) as Measured<Meters>;
}

/**
 * Goes through a recorded session. At each model call it builds the view of what had happened by then and lets the condenser act.
 * What the condenser forgets stays forgotten for later calls. With a `need` the loop is closed: what a call needs and does not see is read
 * again by one inserted step, whose request is yielded before that of the call, and then the condenser acts anew. `startedAt` is when folding began, on the clock of `performance`.
 */
export async function* condensedCalls(
  session: RecordedSession,
  condenser: Condenser,
  options: CondensedCallsOptions = {},
): AsyncGenerator<CondensedCall & { readonly startedAt: number }> {
  const { events, calls } = session;
  const { contextWindow, timeoutMs = 60_000, need, fixedTokens = fixedTokensOf(session) } = options;
  const projection = new ViewProjection();
  const createEvent = replayEvents();
  const rereadsAt = need === undefined ? undefined : rereader(session, need, createEvent);
  let folded = 0;
  let isStalled = false;
  /** Lets the condenser act on what has been folded. */
  const condensed = async (index: number): Promise<Omit<CondensedCall, 'rereads'>> => {
    const errors: string[] = [];
    const attempts: AttemptReport[] = [];
    const before = projection.view.condensations.length;
    let view = projection.view;
    const limit = timeLimit(timeoutMs);
    try {
      if (!isStalled)
        view = await condenseUntilSettled(withPrices(condenser, options.pricesToTell), projection, {
          createEvent,
          signal: limit.signal,
          contextWindow,
          fixedTokens: fixedTokens || undefined,
          report: (attempt) => {
            attempts.push(attempt);
            if (attempt.outcome.startsWith('refused-')) errors.push(attempt.reason);
          },
        });
    } catch (error) {
      isStalled = limit.signal.aborted;
      errors.push(messageOf(error));
      view = projection.view;
    } finally {
      limit.clear();
    }
    const condensations = projection.view.condensations.slice(before);
    return { index, at: events[calls[index] ?? -1]?.timestamp ?? '', view, condensations, errors, attempts };
  };
  for (const [index, end] of calls.entries()) {
    let startedAt = performance.now();
    for (; folded < end; folded++) projection.append(events[folded] as Event);
    let call = await condensed(index);
    const rereads = rereadsAt?.(index, call.view) ?? [];
    if (rereads.length > 0) {
      yield { ...call, rereads, startedAt };
      startedAt = performance.now();
      for (const event of rereads) projection.append(event);
      call = await condensed(index);
    }
    yield { ...call, rereads: [], startedAt };
  }
}

/** Returns a condenser that is told of prices at each call. They are made when the condenser reads them. */
function withPrices(condenser: Condenser, prices: (() => CachePrices) | undefined): Condenser {
  if (prices === undefined) return condenser;
  const condense: Condenser['condense'] = (view, context) =>
    condenser.condense(view, Object.defineProperty({ ...context }, 'prices', { get: prices, enumerable: true }));
  return { ...condenser, condense };
}

/** Makes events with ids that no recorded event has, the same in every replay. */
function replayEvents(): CreateEvent {
  let count = 0;
  return eventFactory({ newId: () => `replay-${++count}`, now: () => new Date(0) });
}

/** Keeps the process alive while a condenser is waited for, so that one that never answers is an error and no silent end. */
function timeLimit(timeoutMs: number) {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(
      new Error(`the condenser did not answer within ${timeoutMs} ms; it is asked no more in this session`),
    );
  }, timeoutMs);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
