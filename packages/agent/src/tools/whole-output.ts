import type { ActionEvent, CreateEvent, CustomEvent, Event, EventId } from '@palimpsest/events';
import { isToolResult, toolResultContent } from '@palimpsest/events';

const type = 'agent/tool-output';

/**
 * The whole text of an output that the model is shown in part. It stands before the observation, whose `details.outputHandle`
 * is this event's id. It is never sent to a model.
 */
export interface WholeOutputEvent extends CustomEvent {
  readonly type: 'agent/tool-output';
  readonly actionId: EventId;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly text: string;
}

/** Creates a {@link WholeOutputEvent}. */
export function wholeOutput({ id, toolCall }: ActionEvent, text: string, createEvent: CreateEvent): WholeOutputEvent {
  const fields = { actionId: id, toolCallId: toolCall.id, toolName: toolCall.name, text };
  return createEvent(type, { source: 'environment', ...fields }) as WholeOutputEvent;
}

/**
 * The text that the id of an event stands for, as it was logged: a whole output, a result, or the arguments of a call.
 * Undefined for any other event, so that instructions and messages cannot be read by id.
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
