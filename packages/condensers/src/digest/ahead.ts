import { isLLMConvertible } from '@palimpsest/events';
import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

// Taken at load: timers that a host fakes later never fire by themselves, and a condensation would hang.
const { setTimeout } = globalThis;

/** Reads an event and remembers what it has read: it is called for the same events again. */
export type EventReader = (event: LLMConvertibleEvent, view: View) => void;

/** A cache: the events that each reader has read. */
const known = new WeakMap<EventReader, WeakSet<LLMConvertibleEvent>>();

/** Reads an event that the reader does not know. Returns the size of what was read. Unit: tokens, as the view estimates. */
function readOnce(read: EventReader, event: LLMConvertibleEvent, view: View): number {
  const events = known.get(read) ?? new WeakSet();
  known.set(read, events);
  if (events.has(event)) return 0;
  events.add(event);
  read(event, view);
  return view.tokensOf(event);
}

/** More than most steps add. Unit: events of each call. */
const eventsPerCall = 16;
/** What is read at a stretch. Unit: tokens, as the view estimates. */
const tokensPerSlice = 6_000;

/**
 * Reads the newest events of a view, at most {@link eventsPerCall} and about {@link tokensPerSlice} in a call: called at each step, a later
 * summary need not read all of them at once.
 */
export function aheadReader(read: EventReader): (view: View) => void {
  return (view) => {
    let tokens = 0;
    for (const event of view.events.slice(-eventsPerCall).reverse()) {
      tokens += readOnce(read, event, view);
      if (tokens >= tokensPerSlice) return;
    }
  };
}

/** Reads the events that a view shows and those that it has forgotten, with pauses in which others work. */
export async function readInSlices(view: View, readers: readonly EventReader[], signal?: AbortSignal): Promise<void> {
  let tokens = 0;
  for (const event of eventsOf(view)) {
    const sizes = readers.map((read) => readOnce(read, event, view));
    tokens += Math.max(...sizes);
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
