import {
  hostFilesOf,
  isLLMConvertible,
  isToolResult,
  messageContent,
  toolResultContent,
  wellFormedPart,
} from '@palimpsest/events';
import type { ActionEvent, ContentPart, Event, EventId, ToolResultEvent } from '@palimpsest/events';

/** The text that a model read, or was to read, of an event, its images, and the files that its host holds. */
export interface Original {
  readonly text: string;
  readonly media: readonly ContentPart[];
}

/**
 * The original of an event: the content of a result or a message, the thought and the arguments of a call, the text of a
 * summary. For an output that was shown in part it is the whole. Thinking is not part of it. Undefined for events that no model
 * reads, and for instructions.
 */
export function originalOf(event: Event, find: (id: EventId) => Event | undefined): Original | undefined {
  if (event.type === 'condensation') {
    return typeof event.summary === 'string' && event.summary !== '' ? { text: event.summary, media: [] } : undefined;
  }
  if (!isLLMConvertible(event)) return undefined;
  if (isToolResult(event)) {
    const original = ofParts([...toolResultContent(event), ...hostFilesOf(event)]);
    const text = wholeOutputOf(event, find);
    return text === undefined ? original : { ...original, text };
  }
  switch (event.type) {
    case 'message':
      return ofParts([...messageContent(event), ...hostFilesOf(event)]);
    case 'action':
      return ofParts([...event.thought.map(wellFormedPart), { type: 'text', text: callText(event).toWellFormed() }]);
    case 'condensation-summary':
      return { text: event.summary, media: [] };
    default:
      return undefined;
  }
}

/** A call as text: its name and its arguments. */
export function callText({ toolCall }: ActionEvent): string {
  return `${toolCall.name}(${toolCall.arguments})`;
}

/** The whole text of an output that the agent showed in part: an event of the log that the result's `details` name. */
export function wholeOutputOf(event: ToolResultEvent, find: (id: EventId) => Event | undefined): string | undefined {
  if (event.type !== 'observation') return undefined;
  const handle = event.details?.['outputHandle'];
  const whole = typeof handle === 'string' ? find(handle) : undefined;
  const text: unknown = whole === undefined || isLLMConvertible(whole) || !('text' in whole) ? undefined : whole.text;
  return typeof text === 'string' ? text.toWellFormed() : undefined;
}

function ofParts(parts: readonly ContentPart[]): Original {
  return {
    text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    media: parts.filter(({ type }) => type !== 'text'),
  };
}
