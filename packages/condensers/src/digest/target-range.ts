import type { LLMConvertibleEvent } from '@palimpsest/events';
import { keptEventIds, newestStep } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { EventRange } from '../authoring/rolling/selection.js';

/**
 * Returns the range behind the first `keepFirst` events that has to go so that the newest events behind it hold at most
 * `room` tokens, as the view estimates. The newest step stays. Undefined if there is no such range. Costs O(log
 * events).
 */
export function rangeDownTo(view: View, room: number, keepFirst: number): EventRange | undefined {
  const { length } = view.events;
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (view.tokens(middle, length) <= room) high = middle;
    else low = middle + 1;
  }
  const start = view.cutPoints.atOrAfter(keepFirst);
  const end = Math.min(view.cutPoints.atOrAfter(low) ?? length, newestStep(view).cutPoint);
  return start === undefined || end <= start ? undefined : { start, end };
}

/**
 * Returns a range that ends before the second newest step, if that step and what follows it hold at most `room` tokens; else the range.
 */
export function beforeSecondStep(view: View, range: EventRange, room: number): EventRange {
  const newest = newestStep(view).cutPoint;
  let start: number | undefined;
  let response: string | undefined;
  for (let index = newest - 1; index >= range.start; index--) {
    const own = view.responseOf((view.events.at(index) as LLMConvertibleEvent).id);
    if (own === undefined) continue;
    if (response !== undefined && own !== response) break;
    [start, response] = [index, own];
  }
  const end = start === undefined ? undefined : view.cutPoints.atOrBefore(start);
  const isHeld = end !== undefined && end > range.start && end < range.end && view.tokens(end) <= room;
  return isHeld ? { start: range.start, end } : range;
}

/** Less text that stays does not make a condensation dearer. Unit: tokens. */
const leastKept = 1_000;

/** A range, and the indices of its events that no condensation forgets, in order. */
export interface KeptRange extends EventRange {
  readonly kept: readonly number[];
}

/** Finds what is kept of a range. */
export function withKept(view: View, range: EventRange | undefined): KeptRange | undefined {
  if (range === undefined) return undefined;
  const { start, end } = range;
  const kept: number[] = [];
  for (const id of keptEventIds(view)) {
    const index = view.indexOf(id);
    if (index !== undefined && index >= start && index < end) kept.push(index);
  }
  return { start, end, kept: kept.sort((a, b) => a - b) };
}

/** Returns the size of a view from a range on, without what is kept of the range. Unit: tokens, as the view estimates. */
export function sizeFrom(view: View, { start, kept }: KeptRange): number {
  return kept.reduce((size, index) => size - view.tokens(index, index + 1), view.tokens(start));
}

/**
 * Returns a range without its beginning, where that holds less to forget than what is kept behind it, such as a text
 * that the user has pasted: to forget a little before it, the prompt cache would write all of it again.
 */
export function behindLargeKept(view: View, range: KeptRange): KeptRange {
  let [tokens, start] = [0, range.start];
  for (const index of range.kept) {
    tokens += view.tokens(index, index + 1);
    const forgotten = view.tokens(range.start, index + 1) - tokens;
    if (tokens >= leastKept && forgotten < tokens) start = view.cutPoints.atOrAfter(index + 1) ?? start;
  }
  return start < range.end ? { start, end: range.end, kept: range.kept.filter((index) => index >= start) } : range;
}
