import type { ActionEvent, CreateEvent, CustomEvent, Event, EventId } from '@palimpsest/events';
import { isToolResult, toolResultContent } from '@palimpsest/events';

const type = 'agent/tool-output';

/**
 * The whole text of an output of which the model is shown a part. Stands before the observation that shows the part, whose
 * `details.outputHandle` is this event's id. Never sent to a model.
 */
export interface WholeOutputEvent extends CustomEvent {
  readonly type: 'agent/tool-output';
  readonly actionId: EventId;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly text: string;
}

/** Makes the event that keeps a whole text in the log. */
export function wholeOutput({ id, toolCall }: ActionEvent, text: string, createEvent: CreateEvent): WholeOutputEvent {
  const fields = { actionId: id, toolCallId: toolCall.id, toolName: toolCall.name, text };
  return createEvent(type, { source: 'environment', ...fields }) as WholeOutputEvent;
}

/**
 * What a handle means that is the id of an event: a whole output, a result, or a call's arguments, as they were logged.
 * Undefined for anything else, so that instructions and words cannot be read by it.
 */
export function textOfEvent(event: Event | undefined): string | undefined {
  if (event === undefined) return undefined;
  if (event.type === type) return typeof event['text'] === 'string' ? event['text'] : undefined;
  if (event.type === 'action') return event.toolCall.arguments;
  if (!isToolResult(event)) return undefined;
  return toolResultContent(event)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}
