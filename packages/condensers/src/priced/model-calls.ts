import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/**
 * The sizes of a view at the model calls that were made after an event of the log, oldest first. A call sent everything before its
 * response, so sizes never fall. Calls whose response is no longer in the view are left out. Unit: tokens, as the view estimates.
 */
export interface CallSizes {
  readonly length: number;
  at(call: number): number;
  /** The id of the first event of the response. */
  idAt(call: number): EventId;
  /** The calls that sent more than so many tokens: how many, and the sum of their sizes. Costs O(log calls). */
  above(tokens: number): { readonly calls: number; readonly tokens: number };
}

/**
 * The calls after a position of the log; undefined for all. Costs O(view).
 *
 * @param after - the position in the log
 */
export function callsAfter(view: View, after: number | undefined): CallSizes {
  const indices: number[] = [];
  /** The sum of the sizes at all calls before each one, and of all. Unit: tokens. */
  const sums = [0];
  let sum = 0;
  for (let index = 0; index < view.events.length; index++) {
    const event = view.events[index] as LLMConvertibleEvent;
    // Only the model's own events begin a response.
    if (event.type !== 'action' && event.type !== 'message') continue;
    const { id } = event;
    if (view.responseOf(id) !== id || (after !== undefined && (view.positionOf(id) ?? Infinity) <= after)) continue;
    indices.push(index);
    sums.push((sum += view.tokens(0, index)));
  }
  const at = (call: number): number => view.tokens(0, indices[call]);
  return {
    length: indices.length,
    at,
    idAt: (call) => (view.events[indices[call] as number] as LLMConvertibleEvent).id,
    above: (tokens) => {
      const first = firstOf(0, indices.length, (call) => at(call) > tokens);
      return { calls: indices.length - first, tokens: sum - (sums[first] as number) };
    },
  };
}

/** The calls since the newest condensation. Costs O(view). */
export function callsSinceLast(view: View): CallSizes {
  const last = view.condensations.at(-1);
  return callsAfter(view, last && view.positionOf(last.id));
}

/** The first of some ascending numbers for which a statement is true; `end` if there is none. */
function firstOf(start: number, end: number, isTrue: (number: number) => boolean): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
