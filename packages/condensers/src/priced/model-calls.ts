import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** The indices of the first events of the responses of a list, for the part of it that has been read. */
interface Responses {
  readonly indices: number[];
  read: number;
}

const known = new WeakMap<object, Responses>();

/**
 * The sizes of a view at the model calls that were made after an event of the log, oldest first. A call sent everything before its
 * response. Calls whose response is no longer in the view are left out. Unit: tokens, as the view estimates.
 *
 * @param after - the position in the log; undefined for all calls
 */
export function sizesAtCalls(view: View, after: number | undefined): readonly number[] {
  const { indices } = responsesOf(view);
  const first = after === undefined ? 0 : firstBehind(view, indices, after);
  const sizes: number[] = [];
  for (let call = first; call < indices.length; call++) {
    const index = indices[call] as number;
    if (index < view.events.length) sizes.push(view.tokens(0, index));
  }
  return sizes;
}

/** When the model last answered. Unit: milliseconds since 1970; undefined if it never did, or its events have no valid time. */
export function lastAnswerAt(view: View): number | undefined {
  for (let index = view.events.length - 1; index >= 0; index--) {
    const event = view.events.at(index) as LLMConvertibleEvent;
    if (view.responseOf(event.id) === undefined) continue;
    const at = Date.parse(event.timestamp);
    return Number.isNaN(at) ? undefined : at;
  }
  return undefined;
}

/** Lists that only grow share their source, so only new events are read. */
function responsesOf(view: View): Responses {
  const { source } = view.events;
  const responses = (source && known.get(source)) ?? { indices: [], read: 0 };
  for (; responses.read < view.events.length; responses.read++) {
    const { id } = view.events.at(responses.read) as { readonly id: EventId };
    if (view.responseOf(id) === id) responses.indices.push(responses.read);
  }
  if (source !== undefined) known.set(source, responses);
  return responses;
}

/** The first response that stands behind a position of the log. */
function firstBehind(view: View, indices: readonly number[], position: number): number {
  let [low, high] = [0, indices.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const event = view.events.at(indices[middle] as number);
    if (event === undefined || (view.positionOf(event.id) ?? Infinity) > position) high = middle;
    else low = middle + 1;
  }
  return low;
}
