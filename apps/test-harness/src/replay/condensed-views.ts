import { eventFactory } from '@palimpsest/events';
import type { CreateEvent, Event } from '@palimpsest/events';
import { condenseUntilSettled, ViewProjection } from '@palimpsest/view';
import type { AttemptReport, CachePrices, Condenser, View } from '@palimpsest/view';
import type { RecordedSession } from '../measure/recorded-session.js';

/** What a condenser made of the view at one recorded model call. */
export interface CondensedView {
  readonly modelCall: number;
  /** How many model calls the session has. */
  readonly of: number;
  /** When the recorded call had been answered. */
  readonly at: string;
  /** What would be sent. */
  readonly view: View;
  readonly condensations: number;
  /** How often the condenser failed; the view was left as it was. */
  readonly errors: readonly string[];
  /** What the condenser reported of this call. */
  readonly attempts: readonly AttemptReport[];
  /** When folding began, on the clock of `performance`. Unit: milliseconds. */
  readonly startedAt: number;
}

/** Options of {@link condensedViews}. */
export interface CondensedViewsOptions {
  /** The window that the condenser is told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number;
  /** What the condenser is told of instructions and tools that are no events. Unit: tokens. @defaultValue none */
  readonly fixedTokens?: number;
  /** The prices that the condenser is told of. Called when it reads them. @defaultValue none */
  readonly pricesToTell?: () => CachePrices;
  /** A condenser that takes longer is asked no more in this session. Unit: milliseconds. @defaultValue 60,000 */
  readonly timeoutMs?: number;
  /** Called before each model call. */
  readonly onModelCall?: (done: number, of: number) => void;
}

/**
 * Goes through a recorded session: at every model call it builds the view of the events until then and lets the condenser act.
 * What the condenser forgets stays forgotten for later calls.
 */
export async function* condensedViews(
  { events, calls }: RecordedSession,
  condenser: Condenser,
  options: CondensedViewsOptions = {},
): AsyncGenerator<CondensedView> {
  const projection = new ViewProjection();
  const createEvent = replayEvents();
  const { timeoutMs = 60_000 } = options;
  let folded = 0;
  let isStalled = false;
  for (const [modelCall, index] of calls.entries()) {
    options.onModelCall?.(modelCall, calls.length);
    const startedAt = performance.now();
    for (; folded < index; folded++) projection.append(events[folded] as Event);
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
          contextWindow: options.contextWindow,
          fixedTokens: options.fixedTokens,
          report: (attempt) => {
            attempts.push(attempt);
            if (attempt.outcome.startsWith('refused-')) errors.push(attempt.reason);
          },
        });
    } catch (error) {
      isStalled = limit.signal.aborted;
      errors.push(error instanceof Error ? error.message : String(error));
      view = projection.view;
    } finally {
      limit.clear();
    }
    const condensations = projection.view.condensations.length - before;
    const at = events[index]?.timestamp ?? '';
    yield { modelCall, of: calls.length, at, view, condensations, errors, attempts, startedAt };
  }
}

/** The condenser, told of prices at each call; they are asked for when it reads them. */
function withPrices(condenser: Condenser, prices: (() => CachePrices) | undefined): Condenser {
  if (prices === undefined) return condenser;
  const condense: Condenser['condense'] = (view, context) =>
    condenser.condense(view, Object.defineProperty({ ...context }, 'prices', { get: prices, enumerable: true }));
  return { ...condenser, condense };
}

/** Ids that no recorded event has, the same in every replay. */
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
