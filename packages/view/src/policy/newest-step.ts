import type { View } from '../view.js';

/** The last step of a view: the model's last events, and the events that the model has not read yet. */
export interface NewestStep {
  /** The index of the step's first event. Events before it may be masked. */
  readonly start: number;
  /** The last cut point at or before `start`. Events before it may be forgotten. */
  readonly cutPoint: number;
  /** True if the event before the step belongs to the same response: the log does not show where the response ends. */
  readonly sharesResponse: boolean;
}

/**
 * Finds the newest step: the last consecutive events of one model response, and all events after them (results, later words). A
 * condenser keeps the newest step, because the model has not answered it yet; only a last resort condenses it. Going backwards,
 * the step ends at a result or at another author's message, even if earlier events belong to the same response. So the step
 * stays small in a log whose responses all have one id. Without a response the newest step is the last event.
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
