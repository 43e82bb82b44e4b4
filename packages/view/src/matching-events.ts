import type { Event } from '@palimpsest/events';
import type { EventSequence } from './event-sequence.js';

/** Where the events of one kind stand in a list. */
export interface MatchingEvents {
  readonly count: number;
  /** The index of the nth of them, from 0; a negative one counts from the end. Undefined where there are not so many. */
  at(place: number): number | undefined;
  /** How many of them stand before an index. */
  before(index: number): number;
}

interface Found {
  readonly places: number[];
  searched: number;
}

/**
 * Makes the function that finds the events of one kind in `events` or `internalEvents` of a view. Of a list that only grew since
 * it was last asked, it looks at what is new: the result is the same as that of a look at all of it, because it goes by the
 * list's source alone. Make it once, outside of what asks at each step.
 */
export function matchingEvents<Item extends Event>(
  matches: (event: Item) => boolean,
): (events: EventSequence<Item>) => MatchingEvents {
  const known = new WeakMap<object, Found>();
  return (events) => {
    const found = (events.source && known.get(events.source)) ?? { places: [], searched: 0 };
    for (; found.searched < events.length; found.searched++) {
      const event = events.at(found.searched);
      if (event !== undefined && matches(event)) found.places.push(found.searched);
    }
    if (events.source !== undefined) known.set(events.source, found);
    const { places } = found;
    // An earlier view of the same list has fewer.
    const count = found.searched === events.length ? places.length : numberBelow(places, events.length);
    return {
      count,
      at: (place) => (place < -count || place >= count ? undefined : places[place < 0 ? count + place : place]),
      before: (index) => Math.min(count, numberBelow(places, index)),
    };
  };
}

/** How many of some ascending numbers are less than a limit. */
function numberBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
