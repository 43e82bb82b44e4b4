import type { Event } from '@palimpsest/events';
import type { EventSequence } from './event-sequence.js';

/** The indices of the events of one kind in a list. */
export interface MatchingEvents {
  readonly count: number;
  /**
   * The index of the nth of these events, counted from 0; a negative number counts from the end. Undefined if there are fewer
   * events.
   */
  at(place: number): number | undefined;
  /** The number of these events before an index. Unit: events. */
  before(index: number): number;
}

interface Found {
  readonly places: number[];
  searched: number;
}

/** What was found in a list, by its source and by what was searched for. */
const known = new WeakMap<object, Map<object, Found>>();

/**
 * Hands on what was found in a list to one that was made of it.
 *
 * @param same - the number of first events that both lists have
 */
export function inheritMatches(list: readonly Event[], source: readonly Event[], same: number): void {
  const before = known.get(source);
  if (before === undefined) return;
  const inherited = new Map<object, Found>();
  for (const [matches, { places, searched }] of before) {
    const end = Math.min(searched, same, list.length);
    inherited.set(matches, { places: places.slice(0, numberBelow(places, end)), searched: end });
  }
  known.set(list, inherited);
}

function foundIn(source: object | undefined, matches: object): Found {
  const nothing = { places: [], searched: 0 };
  if (source === undefined) return nothing;
  let ofList = known.get(source);
  if (ofList === undefined) {
    ofList = new Map<object, Found>();
    known.set(source, ofList);
  }
  const found = ofList.get(matches);
  if (found === undefined) ofList.set(matches, nothing);
  return found ?? nothing;
}

/**
 * Makes a function that finds the events of one kind in `events` or `internalEvents` of a view. If the list only grew since the
 * last call, the function reads only the new events; after an edit, those from the first one on that changed. The result equals
 * that of a full search, because lists are compared by their source. Make the function once, outside of the code that runs at each
 * step.
 */
export function matchingEvents<Item extends Event>(
  matches: (event: Item) => boolean,
): (events: EventSequence<Item>) => MatchingEvents {
  return (events) => {
    const found = foundIn(events.source, matches);
    for (; found.searched < events.length; found.searched++) {
      const event = events.at(found.searched);
      if (event !== undefined && matches(event)) found.places.push(found.searched);
    }
    const { places } = found;
    // An earlier view of the same list has fewer events.
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
