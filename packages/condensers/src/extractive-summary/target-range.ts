import { newestStep } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { Selection } from '../authoring/rolling/select-middle.js';

/**
 * The range behind the first `keepFirst` events that has to go so that the newest events behind it hold at most `room` tokens, as
 * the view estimates. The newest step stays. Undefined if there is no such range. Costs O(log events).
 */
export function rangeDownTo(view: View, room: number, keepFirst: number): Selection | undefined {
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
