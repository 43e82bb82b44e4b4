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

/** The responses of a list, for the part of it that has been read. */
interface Responses {
  /** The index of the first event of each. */
  readonly indices: number[];
  /** The sum of the sizes at all calls before this one, and one more. Unit: tokens. */
  readonly sums: number[];
  read: number;
}

const known = new WeakMap<object, Responses>();

/**
 * The calls after a position of the log; undefined for all. Costs O(new events).
 *
 * @param after - the position in the log
 */
export function callsAfter(view: View, after: number | undefined): CallSizes {
  const { indices, sums } = responsesOf(view);
  // A list may have grown since the view was taken.
  const end = firstOf(0, indices.length, (call) => (indices[call] as number) >= view.events.length);
  const idAt = (call: number): EventId => (view.events.at(indices[call] as number) as LLMConvertibleEvent).id;
  const start = after === undefined ? 0 : firstOf(0, end, (call) => (view.positionOf(idAt(call)) ?? Infinity) > after);
  const at = (call: number): number => view.tokens(0, indices[start + call]);
  const sumTo = (call: number): number => sums[start + call] as number;
  const length = end - start;
  return {
    length,
    at,
    idAt: (call) => idAt(start + call),
    above: (tokens) => {
      const first = firstOf(0, length, (call) => at(call) > tokens);
      return { calls: length - first, tokens: sumTo(length) - sumTo(first) };
    },
  };
}

/** Lists that only grow share their source, so only new events are read. */
function responsesOf(view: View): Responses {
  const { source } = view.events;
  const responses = (source && known.get(source)) ?? { indices: [], sums: [0], read: 0 };
  for (; responses.read < view.events.length; responses.read++) {
    const { id } = view.events.at(responses.read) as { readonly id: EventId };
    if (view.responseOf(id) !== id) continue;
    responses.indices.push(responses.read);
    responses.sums.push((responses.sums.at(-1) as number) + view.tokens(0, responses.read));
  }
  if (source !== undefined) known.set(source, responses);
  return responses;
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
