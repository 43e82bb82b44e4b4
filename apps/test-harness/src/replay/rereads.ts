import type { CreateEvent, Event, EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { Need } from '../measure/needs.js';
import { callsOfResults } from '../measure/recorded-session.js';
import type { RecordedSession } from '../measure/recorded-session.js';
import { shownIn } from '../measure/shown.js';

/**
 * Returns the events of the step that reads again, before a recorded call, all that it needs and the view does not show. Empty if it sees
 * everything. The step is one response of parallel calls, each with its recorded arguments and its recorded result, under new ids.
 */
export type Rereader = (modelCall: number, view: View) => readonly Event[];

/** Returns the {@link Rereader} of a need. What it has read again is in view until a condenser hides it, like the original. */
export function rereader(session: RecordedSession, need: Need, createEvent: CreateEvent): Rereader {
  const { events } = session;
  const callOf = callsOfResults(session);
  const indexOf = new Map<EventId, number>(session.indexOf);
  let steps = 0;
  return (modelCall, view) => {
    const results = need(modelCall, shownIn(view, { events, indexOf }));
    if (results.length === 0) return [];
    const step = `reread-${++steps}`;
    const actions: Event[] = [];
    const observations: Event[] = [];
    for (const [place, result] of results.entries()) {
      const [call, recorded] = [events[callOf.get(result) ?? -1], events[result]];
      if (call?.type !== 'action' || recorded === undefined || !('toolName' in recorded)) continue;
      const toolCallId = `${step}-${place + 1}`;
      const action = createEvent('action', {
        thought: [],
        toolCall: { ...call.toolCall, id: toolCallId },
        llmResponseId: step,
      });
      const { id: _id, timestamp: _timestamp, ...copied } = { ...recorded, toolCallId, actionId: action.id };
      const observation = createEvent(recorded.type as 'observation', copied as never);
      indexOf.set(observation.id, result);
      actions.push(action);
      observations.push(observation);
    }
    return [...actions, ...observations];
  };
}
