import { isLLMConvertible } from '@palimpsest/events';
import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** Reads an event and remembers what it has read: it is called for the same events again. */
export type EventReader = (event: LLMConvertibleEvent, view: View) => void;

/** More than most steps add. Unit: events of each call. */
const eventsPerCall = 16;
/** What is read at a stretch. Unit: tokens, as the view estimates. */
const tokensPerSlice = 6_000;

/**
 * Reads the newest events of a view, at most {@link eventsPerCall} and about {@link tokensPerSlice} in a call: called at each step, a later
 * summary need not read all of them at once. An event is read once.
 */
export function aheadReader(read: EventReader): (view: View) => void {
  const known = new WeakSet<LLMConvertibleEvent>();
  return (view) => {
    let tokens = 0;
    for (const event of view.events.slice(-eventsPerCall).reverse()) {
      if (known.has(event)) continue;
      known.add(event);
      read(event, view);
      tokens += view.tokensOf(event);
      if (tokens >= tokensPerSlice) return;
    }
  };
}

/** A cache: the events that {@link readInSlices} need not read again. */
const known = new WeakSet<LLMConvertibleEvent>();

/** Reads the events that a view shows and those that it has forgotten, with pauses in which others work. */
export async function readInSlices(view: View, readers: readonly EventReader[], signal?: AbortSignal): Promise<void> {
  let tokens = 0;
  for (const event of eventsOf(view)) {
    if (known.has(event)) continue;
    known.add(event);
    for (const read of readers) read(event, view);
    tokens += view.tokensOf(event);
    if (tokens < tokensPerSlice) continue;
    tokens = 0;
    await pause(signal);
  }
}

/** Lets others work: what reads much at a stretch is divided by pauses. @throws the reason of the signal, when it is aborted */
export async function pause(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  signal?.throwIfAborted();
}

function* eventsOf(view: View): Iterable<LLMConvertibleEvent> {
  yield* view.events;
  for (const { forgottenEventIds } of view.condensations) {
    for (const id of forgottenEventIds) {
      const event = view.original(id);
      if (event !== undefined && isLLMConvertible(event)) yield event;
    }
  }
}
