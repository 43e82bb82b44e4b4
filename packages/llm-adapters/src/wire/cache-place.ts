import { isMeaningful } from '@palimpsest/events';
import type { Message } from '@palimpsest/events';
import type { CacheHints, CachePlace } from '../llm.js';

/** A {@link CachePlace} in both of its units. */
export interface Place {
  readonly messages: number;
  readonly parts: number;
}

/** A place in both of its units. */
export function placeOf(place: CachePlace): Place {
  return typeof place === 'number' ? { messages: place, parts: 0 } : place;
}

/** The places that a hint calls stable, the most important first. */
export function stablePlaces({ stableMessages = [] }: CacheHints): readonly Place[] {
  return (isList(stableMessages) ? stableMessages : [stableMessages]).map(placeOf);
}

function isList(places: CachePlace | readonly CachePlace[]): places is readonly CachePlace[] {
  return Array.isArray(places);
}

/**
 * The last piece before a place; undefined if there is none. `pieces` holds, for each message, the pieces of its rendering that
 * can carry a mark; for a user message, one for each part that is not empty.
 */
export function lastBefore<Piece>(
  place: CachePlace,
  messages: readonly Message[],
  pieces: readonly (readonly Piece[])[],
): Piece | undefined {
  const { messages: count, parts } = placeOf(place);
  const message = messages[count];
  if (message?.role === 'user') {
    const sent = message.content.slice(0, parts).filter(isMeaningful).length;
    if (sent > 0) return pieces[count]?.[sent - 1];
  }
  return pieces
    .slice(0, Math.max(0, count))
    .findLast((list) => list.length > 0)
    ?.at(-1);
}

/** The end of the newest answered request: before the newest answer; 0 if there is no answer. */
export function endOfAnswered(messages: readonly Message[]): number {
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role === 'assistant'),
  );
}
