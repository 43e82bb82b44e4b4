import type { View } from '@palimpsest/view';
import type { RecordedSession } from './recorded-session.js';

/** Counts the results that a policy hides before any request has shown them. */
export interface FirstSight {
  atCall(modelCall: number, view: View): void;
  readonly neverShown: number;
}

/**
 * A result that is new at a call and does not stand in its view as it was logged was never read: a policy that hides it saves what it
 * never paid for, and the recorded agent had read it.
 */
export function firstSight({ calls, events, kinds, indexOf }: RecordedSession): FirstSight {
  let neverShown = 0;
  return {
    get neverShown() {
      return neverShown;
    },
    atCall: (modelCall, view) => {
      const [from, end] = [calls[modelCall - 1] ?? 0, calls[modelCall] ?? 0];
      const unseen = new Set<number>();
      for (let index = from; index < end; index++) if (kinds[index] === 'result') unseen.add(index);
      // New events stand at the end of the view.
      for (let at = view.events.length - 1; at >= 0 && unseen.size > 0; at--) {
        const event = view.events.at(at);
        const index = event === undefined ? undefined : indexOf.get(event.id);
        if (event === undefined || index === undefined) continue;
        if (index < from) break;
        const isCopy = event !== events[index] && 'redacted' in event && event.redacted === true;
        if (!isCopy) unseen.delete(index);
      }
      neverShown += unseen.size;
    },
  };
}
