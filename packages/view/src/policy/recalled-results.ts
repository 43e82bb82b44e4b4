import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { responsesSince } from '../log-view.js';
import type { View } from '../view.js';

/** How long a recalled answer stays: the time after which the measures count it as needed again. Unit: model responses. */
const keptResponses = 10;
/** What recalled answers may take of a view, so that they are never what makes it too large. Unit: share of its tokens. */
const keptShare = 0.25;

/**
 * The answers of a recall tool that are young: those of the ten newest model responses of the log, the newest first, with the other events of
 * their units, as long as they take at most a quarter of the view. A condenser leaves them, because what it hides again at once is
 * recalled again at once. A tool marks such an answer by `details.recalledEventIds`: the events whose text it holds.
 *
 * They are kept, not protected: a host does not refuse a condensation that forgets them.
 */
export function recalledEventIds(view: View): ReadonlySet<EventId> {
  const { events, cutPoints } = view;
  const young = new Set<EventId>();
  let room: number | undefined;
  let tokens = 0;
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at] as LLMConvertibleEvent;
    if (!isRecalled(event)) continue;
    room ??= view.tokens() * keptShare;
    // The response that asked for it stands before it.
    if (responsesSince(view, event.id, keptResponses) >= keptResponses) break;
    if (isRedacted(event) || young.has(event.id)) continue;
    const [start, end] = [cutPoints.atOrBefore(at) ?? 0, cutPoints.atOrAfter(at + 1) ?? events.length];
    tokens += view.tokens(start, end);
    if (tokens > room) break;
    for (const { id } of events.slice(start, end)) young.add(id);
  }
  return young;
}

/** True for an answer of a recall tool. */
export function isRecalled(event: LLMConvertibleEvent): boolean {
  return event.type === 'observation' && Array.isArray(event.details?.['recalledEventIds']);
}

function isRedacted(event: LLMConvertibleEvent): boolean {
  return event.type === 'observation' && event.redacted === true;
}
