import type { Event } from '@palimpsest/events';
import type { Document } from './documents.js';
import { placeOfPath, textsOfArguments } from './paths.js';
import type { Standings } from './standing.js';

/** The documents that a path leads to, in the order in which they are given. */
export interface PathDocuments {
  /** Calls whose arguments name the path, and their results. */
  readonly calls: readonly Document[];
  /** Other texts in which the path stands. */
  readonly mentions: readonly Document[];
}

/** Sorts documents by whether a call on a path, or only their text, names it. The rest is left out. */
export function documentsOfPath(documents: readonly Document[], path: string, standings: Standings): PathDocuments {
  const calls: Document[] = [];
  const mentions: Document[] = [];
  const isNamed = new Map<Event, boolean>();
  const names = (call: Event): boolean => {
    const known = isNamed.get(call);
    if (known !== undefined) return known;
    const found =
      call.type === 'action' &&
      textsOfArguments(call.toolCall.arguments).some((text) => placeOfPath(text, path) !== undefined);
    isNamed.set(call, found);
    return found;
  };
  for (const document of documents) {
    const call = document.event.type === 'action' ? document.event : standings.callOf(document.event);
    if (call !== undefined && names(call)) calls.push(document);
    else if (placeOfPath(document.text, path) !== undefined) mentions.push(document);
  }
  return { calls, mentions };
}
