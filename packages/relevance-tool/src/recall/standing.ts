import { addressOf, isToolResult, isUserMessage, sliceText } from '@palimpsest/events';
import type { ActionEvent, Event, EventId } from '@palimpsest/events';
import { hiddenReasons } from './recall.prompt.js';
import type { HiddenReason } from './hidden-events.js';
import { callText } from './originals.js';

/** Where the events of a log stand among its calls. */
export interface Standings {
  /** The call that a result answers. */
  callOf(result: Event): ActionEvent | undefined;
  /** The address of an event, what it is, and how many calls ago it was. */
  describe(event: Event, reason?: HiddenReason): string;
}

/** A call is written out up to this length. Unit: characters. */
export const longestCall = 120;

/** Cost: one pass over the log. */
export function standingsIn(log: Iterable<Event>): Standings {
  const calls = new Map<EventId, ActionEvent>();
  const places = new Map<EventId, number>();
  const byCallId = new Map<string, ActionEvent>();
  const callOfResult = new Map<EventId, ActionEvent>();
  let count = 0;
  for (const event of log) {
    if (event.type === 'action') {
      if (!calls.has(event.id)) places.set(event.id, ++count);
      calls.set(event.id, event);
      byCallId.set(event.toolCall.id, event);
      continue;
    }
    const call = isToolResult(event) ? (calls.get(event.actionId ?? '') ?? byCallId.get(event.toolCallId)) : undefined;
    if (call !== undefined) callOfResult.set(event.id, call);
    places.set(event.id, (call && places.get(call.id)) ?? count);
  }
  const callOf = (result: Event): ActionEvent | undefined => callOfResult.get(result.id);
  return {
    callOf,
    describe: (event, reason) => {
      const place = places.get(event.id) ?? count;
      const ago = count - place;
      const where = [
        `${isToolResult(event) || event.type === 'action' ? 'call' : 'after call'} ${place} of ${count}`,
        `${ago} ${ago === 1 ? 'call' : 'calls'} ago`,
        ...(reason === undefined ? [] : [hiddenReasons[reason]]),
      ];
      return `${addressOf(event.id)}: ${kindOf(event, callOf(event))}, ${where.join(', ')}`;
    },
  };
}

function kindOf(event: Event, call: ActionEvent | undefined): string {
  if (event.type === 'action') return `call of ${shortened(callText(event))}`;
  if (isToolResult(event)) return `result of ${shortened(call === undefined ? event.toolName : callText(call))}`;
  if (event.type === 'message') {
    return isUserMessage(event) ? 'message of the user' : event.source === 'agent' ? 'your message' : 'message';
  }
  return 'summary of what was before it';
}

/** One line: what was logged must not look like a heading of its own. */
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= longestCall ? line : `${sliceText(line, 0, longestCall - 1)}…`;
}
