import { isMeaningful } from '@palimpsest/events';
import type { Message } from '@palimpsest/events';
import type { CacheHints, CachePlace } from '../llm.js';

/** A {@link CachePlace} in both of its units. */
export interface Place {
  readonly messages: number;
  readonly parts: number;
}

/** Returns a place in both of its units. */
export function placeOf(place: CachePlace): Place {
  return typeof place === 'number' ? { messages: place, parts: 0 } : place;
}

/** Returns the places that a hint calls stable, the most important first. */
export function stablePlaces({ stableMessages = [] }: CacheHints): readonly Place[] {
  return (isList(stableMessages) ? stableMessages : [stableMessages]).map(placeOf);
}

function isList(places: CachePlace | readonly CachePlace[]): places is readonly CachePlace[] {
  return Array.isArray(places);
}

/** A message of a request, and how many of the pieces of its rendering stand before a place. */
interface EndOfPieces {
  readonly message: number;
  /** At least 1. */
  readonly pieces: number;
}

/**
 * Returns the last message that has pieces before a place; undefined if there is none. `countOf` gives the number of
 * pieces of a message's rendering that can carry a mark; for a user message, one for each part that is not empty.
 */
export function lastBefore(
  place: CachePlace,
  messages: readonly Message[],
  countOf: (message: number) => number,
): EndOfPieces | undefined {
  const { messages: count, parts } = placeOf(place);
  const within = messages[count];
  if (within?.role === 'user') {
    const sent = Math.min(within.content.slice(0, parts).filter(isMeaningful).length, countOf(count));
    if (sent > 0) return { message: count, pieces: sent };
  }
  for (let message = Math.min(Math.floor(count), messages.length) - 1; message >= 0; message--) {
    const pieces = countOf(message);
    if (pieces > 0) return { message, pieces };
  }
  return undefined;
}

/** Returns the end of the newest answered request: before the newest answer; 0 if there is no answer. */
export function endOfAnswered(messages: readonly Message[]): number {
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role === 'assistant'),
  );
}

/** The place of a part in a list of lists. */
export interface PartPlace {
  readonly list: number;
  readonly part: number;
}

/** Returns true if the first place stands before the second. */
export function isBefore(one: PartPlace, other: PartPlace): boolean {
  return one.list < other.list || (one.list === other.list && one.part < other.part);
}

/** Returns the places without repetitions, in the order of their first appearance. */
export function distinctPlaces(places: readonly PartPlace[]): readonly PartPlace[] {
  const isSame = (one: PartPlace, other: PartPlace) => one.list === other.list && one.part === other.part;
  return places.filter((place, index) => places.findIndex((other) => isSame(place, other)) === index);
}
