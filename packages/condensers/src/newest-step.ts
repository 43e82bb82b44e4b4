import type { View } from '@palimpsest/view';

/** The last step of a view: what the model has not read yet, or has only just written. Only the last resort of a summary takes it away. */
export interface NewestStep {
  /** The index of its first event. What stands before it may be masked. */
  readonly start: number;
  /** The last cut point that is not behind `start`. What stands before it may be forgotten. */
  readonly cutPoint: number;
  /** Steps before this one carry its `llmResponseId` too, so for the view they are one batch with it. */
  readonly sharesResponse: boolean;
}

/**
 * Finds the newest step: the last events of one model response that stand together, and all behind them (results, the words
 * that came after). A result or a word of somebody else before an event of the same response ends it, so that it stays small
 * where a client gives every response the same id. Without a response it is the last event.
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
    const isAssistant = event?.type === 'action' || (event?.type === 'message' && event.role === 'assistant');
    if (!isAssistant) {
      isParted = found;
      continue;
    }
    if (found && (response === undefined || event.llmResponseId !== response)) break;
    if (isParted) {
      sharesResponse = true;
      break;
    }
    found = true;
    response = event.llmResponseId;
    start = index;
  }
  return { start, cutPoint: cutPoints.atOrBefore(start) ?? 0, sharesResponse };
}
