import { parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { readSessions } from '../apps/test-harness/src/import/index.js';
import { ordinaryLog } from './logs.js';

/** A log to measure with. */
export interface MeasuredLog {
  /** Where the events come from. */
  readonly origin: string;
  /** Checked and deeply frozen. */
  readonly events: readonly Event[];
}

/** Synthetic results are as long as those of real sessions. Unit: characters. */
const resultLength = 1_600;

/**
 * Logs of real agents: the sessions in the folder that `PALIMPSEST_TRAJECTORIES` names, longest first, one after the other and
 * again from the start, with ids that do not repeat. Without that folder the events are synthetic.
 */
export async function measuredLogs(): Promise<(length: number) => MeasuredLog> {
  const folder = process.env['PALIMPSEST_TRAJECTORIES'];
  if (folder === undefined) {
    return (length) => ({ origin: 'synthetic', events: ordinaryLog(length, resultLength).map(parseEvent) });
  }
  const sessions: (readonly Event[])[] = [];
  for await (const { events } of readSessions(folder)) sessions.push(events);
  sessions.sort((a, b) => b.length - a.length);
  const all = sessions.flatMap((events, session) =>
    events.filter(isOfModel).map((event) => withOwnIds(event, `${session}`)),
  );
  return (length) => {
    const events: Event[] = [];
    for (let round = 0; events.length < length; round++) {
      for (const event of all.slice(0, length - events.length)) events.push(parseEvent(withOwnIds(event, `${round}`)));
    }
    return { origin: 'real sessions', events };
  };
}

/** The recorded compactions of the sessions do not belong to the measurement. */
function isOfModel({ type }: Event): boolean {
  return type === 'message' || type === 'action' || type === 'observation' || type === 'agent-error';
}

function withOwnIds(event: Event, suffix: string): Event {
  const own = (id: string): string => `${id}-${suffix}`;
  const named = { ...event, id: own(event.id) };
  switch (named.type) {
    case 'action': {
      const toolCall = { ...named.toolCall, id: own(named.toolCall.id) };
      return { ...named, toolCall, llmResponseId: own(named.llmResponseId) };
    }
    case 'message':
      return named.llmResponseId === undefined ? named : { ...named, llmResponseId: own(named.llmResponseId) };
    case 'observation':
    case 'agent-error': {
      const { actionId } = named;
      const answered = { ...named, toolCallId: own(named.toolCallId) };
      return actionId === undefined ? answered : { ...answered, actionId: own(actionId) };
    }
    default:
      return named;
  }
}
