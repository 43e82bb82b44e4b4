import { isToolResult } from '@palimpsest/events';
import type { ActionEvent, Event, EventId, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** A log in steps: a step is a response of the model and the events until the next response. */
export interface LoggedSteps {
  /** How many responses the log holds. */
  readonly count: number;
  /** The step of an event: the number of responses begun until then, 0 before the first. */
  stepOf(id: EventId): number | undefined;
  /** The result that answers a call. */
  resultOf(actionId: EventId): ToolResultEvent | undefined;
  /** The call that a result answers. */
  callOf(resultId: EventId): ActionEvent | undefined;
}

/** Reads a log once, whose view knows where a response begins. Calls and results match as they do in a view: by occurrence, backwards, the first result wins. */
export function loggedSteps(log: Iterable<Event>, view: Pick<View, 'responseOf'>): LoggedSteps {
  const steps = new Map<EventId, number>();
  const results = new Map<EventId, ToolResultEvent>();
  const calls = new Map<EventId, ActionEvent>();
  const latestCall = new Map<string, ActionEvent>();
  let count = 0;
  for (const event of log) {
    if (steps.has(event.id)) continue;
    if (view.responseOf(event.id) === event.id) count++;
    steps.set(event.id, count);
    if (event.type === 'action') {
      const earlier = latestCall.get(event.toolCall.id);
      const isRepeated = earlier !== undefined && steps.get(earlier.id) === count && !results.has(earlier.id);
      if (!isRepeated) latestCall.set(event.toolCall.id, event);
    } else if (isToolResult(event)) {
      const call = latestCall.get(event.toolCallId);
      if (call === undefined || results.has(call.id)) continue;
      results.set(call.id, event);
      calls.set(event.id, call);
    }
  }
  return {
    count,
    stepOf: (id) => steps.get(id),
    resultOf: (actionId) => results.get(actionId),
    callOf: (resultId) => calls.get(resultId),
  };
}
