import type { Condensation } from '@palimpsest/events';
import { createEvent, isToolResult } from '@palimpsest/events';
import { condensation } from '../policy/condensation.js';
import type { Condenser } from '../condenser.js';
import { NoCondensationAvailableError } from '../errors.js';
import { pinnedEventIds } from '../policy/pins.js';
import { protectedEventIds } from '../policy/protection.js';
import { redactedCopy } from '../fold/redacted-copy.js';
import { viewOfLog } from '../log-view.js';
import type { View } from '../view.js';

/** A sample condenser acts on a view with more events than this. */
const sampleMaxSize = 40;

/** Condensers that keep the contract, one for each kind of result. */
export const soundCondensers: readonly Condenser[] = [
  {
    name: 'answers a request with an empty condensation where it does not want to act',
    handlesCondensationRequests: true,
    condense: (view) =>
      view.events.length > sampleMaxSize
        ? forgetMiddle(view, 'S')
        : view.unhandledCondensationRequest
          ? carelessCondensation({ forgottenEventIds: [] })
          : view,
  },
  {
    name: 'forgets the middle, with a summary',
    handlesCondensationRequests: true,
    condense: (view) => (mustAct(view) ? forgetMiddle(view, 'S') : view),
  },
  {
    name: 'masks all long results but the newest',
    condense(view) {
      const redactions = [...view.events]
        .slice(0, -10)
        .filter((event) => isToolResult(event) && !event.redacted && !view.leftOut.has(event.id))
        .map(({ id }) => ({ eventId: id, text: '' }));
      return redactions.length < 5 ? view : condensation({ view, redactions });
    },
  },
  {
    name: 'leaves out all but the newest',
    rewritesEveryStep: true,
    condense(view) {
      // Uses the log's list, so that the view that it has returned does not shrink further.
      const stored = viewOfLog(view);
      const { events, cutPoints } = stored;
      const kept = protectedEventIds(stored);
      const end = cutPoints.atOrBefore(events.length - sampleMaxSize / 2) ?? 0;
      const ids = [...events].slice(0, end).map(({ id }) => id);
      return view.without(new Set(ids.filter((id) => !kept.has(id))));
    },
  },
  {
    name: 'masks long results in copies',
    condense(view) {
      const pinned = pinnedEventIds(view);
      const long = [...view.events].filter(
        (event) => isToolResult(event) && !pinned.has(event.id) && JSON.stringify(event).length > 300,
      );
      return view.replace(
        new Map(
          long.flatMap((event) => {
            const copy = redactedCopy(event, { text: '…' });
            return copy === undefined ? [] : [[event.id, { event: copy }] as const];
          }),
        ),
      );
    },
  },
];

/** Returns true where a sample condenser must act. */
export function mustAct(view: View): boolean {
  return view.unhandledCondensationRequest || view.events.length > sampleMaxSize;
}

/** Forgets the events between the first and the newest ones, if the summary is smaller; else returns the view. */
export function forgetMiddle(view: View, summary: string): Condensation | View {
  const end = view.events.length - sampleMaxSize / 4;
  try {
    const event = condensation({ view, start: 2, end: Math.max(end, Math.floor(view.events.length / 2)), summary });
    const size = event.forgottenEventIds.reduce((sum, id) => sum + tokensOf(view, id), 0);
    if (size > summary.length / 4 + 10) return event;
  } catch (error) {
    if (!view.unhandledCondensationRequest && NoCondensationAvailableError.isInstance(error)) return view;
    throw error;
  }
  if (!view.unhandledCondensationRequest) return view;
  throw new NoCondensationAvailableError('the summary is no smaller than what it stands for');
}

function tokensOf(view: View, id: string): number {
  const index = view.indexOf(id) ?? 0;
  return view.tokens(index, index + 1);
}

/** Returns a handmade condensation without any checks. */
export function carelessCondensation(fields: Omit<Condensation, 'type' | 'id' | 'timestamp' | 'source'>): Condensation {
  return createEvent('condensation', fields);
}
