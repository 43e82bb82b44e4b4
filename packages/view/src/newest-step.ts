import type { View } from './view.js';

/** The last step of a view: what the model has just written, and what it has not read yet. */
export interface NewestStep {
  /** The index of its first event. What stands before it may be masked. */
  readonly start: number;
  /** The last cut point that is not behind `start`. What stands before it may be forgotten. */
  readonly cutPoint: number;
  /** What stands before this step is of the same response: nothing in the log says where the response ends. */
  readonly sharesResponse: boolean;
}

/**
 * Finds the newest step: the last events of one model response that stand together, and all events behind them (results, the
 * words that came after). A condenser leaves it alone, because the model has not answered to it yet; only a last resort takes it.
 * A result or a word of somebody else before an event of the same response ends it, so that it stays small where all responses
 * of a log have one id and nothing tells them apart. Without a response it is the last event.
 */
export function newestStep(view: View): NewestStep {
  const { events, cutPoints } = view;
  let start = Math.max(0, events.length - 1);
  let response: string | undefined;
  let found = false;
  let isParted = false;
  let sharesResponse = false;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events.at(index);
    const own = event === undefined ? undefined : view.responseOf(event.id);
    if (own === undefined) {
      isParted = found;
      continue;
    }
    if (found && own !== response) break;
    if (isParted) {
      sharesResponse = true;
      break;
    }
    found = true;
    response = own;
    start = index;
  }
  return { start, cutPoint: cutPoints.atOrBefore(start) ?? 0, sharesResponse };
}
