import type { Condensation } from '@palimpsest/events';
import type { CondenseContext, Condenser } from '../condenser.js';
import { CondenserTimeoutError, NoCondensationAvailableError } from '../errors.js';
import type { View } from '../view.js';
import { viewOfLog } from '../log-view.js';

/** The time for which a host waits for a condenser. Unit: milliseconds. */
const defaultCondenserTimeoutMs = 300_000;

/** A timer with a longer delay fires immediately. Unit: milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** The outcome of an attempt that a host has given up. */
const timedOut = 'timed-out';

/** After one deadline the view has to grow by these events, after two in a row by twice as many, up to the longest wait. */
const firstWait = 4;
const longestWait = 64;
/** The number of the newest internal events that are read. */
const searched = 1_000;

/**
 * Calls a condenser for its decision, and waits until a deadline: `timeoutMs`, or the condenser's own if that is
 * longer. At the deadline the condenser's signal is aborted, the attempt is reported, and a later result is ignored.
 * While a condenser is held back after that, the view is returned without calling it, and a request is refused.
 *
 * @param timeoutMs - `Infinity` is no deadline
 * @throws {@link CondenserTimeoutError} at the deadline.
 * @throws the signal's reason as soon as the signal is aborted.
 * @throws the condenser's errors.
 */
export async function decisionOf(
  condenser: Condenser,
  view: View,
  context: CondenseContext,
  timeoutMs = defaultCondenserTimeoutMs,
): Promise<View | Condensation> {
  if (isHeldBack(view, condenser)) {
    if (!view.unhandledCondensationRequest) return view;
    throw new NoCondensationAvailableError(`${condenser.name} did not decide in time before`);
  }
  const deadline = new AbortController();
  const signal = context.signal === undefined ? deadline.signal : AbortSignal.any([context.signal, deadline.signal]);
  const made = condenser.condense(view, { ...context, signal });
  if (!isPending(made)) return untilAborted(made, context.signal);
  const limit = Math.min(Math.max(timeoutMs, ownTimeout(condenser)), longestTimer);
  const timer = setTimeout(() => deadline.abort(new CondenserTimeoutError(condenser.name, limit)), limit);
  try {
    return await untilAborted(made, signal);
  } catch (error) {
    if (deadline.signal.aborted) {
      const reason = (deadline.signal.reason as Error).message;
      context.report?.({ outcome: timedOut, reason, data: { events: viewOfLog(view).events.length } });
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function isPending(made: unknown): boolean {
  return typeof (made as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';
}

/** Unit: milliseconds. */
function ownTimeout({ timeoutMs, stages = [] }: Condenser): number {
  return timeoutMs ?? stages.reduce((sum, stage) => sum + ownTimeout(stage), 0);
}

/** Returns true if the view has hardly grown since the condenser's last deadline. */
function isHeldBack(view: View, { name }: Condenser): boolean {
  const sizes: number[] = [];
  const end = Math.max(0, view.internalEvents.length - searched);
  for (let index = view.internalEvents.length - 1; index >= end; index--) {
    const event = view.internalEvents.at(index);
    // An empty condensation only answers a request.
    if (event?.type === 'condensation' && event.forgottenEventIds.length + (event.redactions?.length ?? 0) > 0) break;
    if (event?.type !== 'condensation-attempt' || event.outcome !== timedOut || event.condenser !== name) continue;
    const size = event.data?.['events'];
    if (typeof size === 'number') sizes.push(size);
  }
  const [newest] = sizes;
  if (newest === undefined) return false;
  const grown = viewOfLog(view).events.length - newest;
  return grown >= 0 && grown < Math.min(longestWait, firstWait * 2 ** (sizes.length - 1));
}

/**
 * Resolves to the result of the work. Rejects with the signal's reason as soon as the signal is aborted, also if the work ignores
 * the signal. The later result of the work is ignored.
 */
export async function untilAborted<Result>(
  work: Result | Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
