import type { ContentPart, Event } from '@palimpsest/events';

/** What a model could read of an event, line breaks of arguments included. Empty for events that no model reads. */
export function textOfEvent(event: Event): string {
  switch (event.type) {
    case 'message':
      return textOf(event.content);
    case 'action':
      return `${textOf(event.thought)}\n${event.toolCall.name} ${event.toolCall.arguments.replace(/\\[nrt"]/g, ' ')}`;
    case 'observation':
      return textOf(event.content);
    case 'user-reject-observation':
      return event.rejectionReason;
    case 'agent-error':
      return event.error;
    case 'condensation-summary':
      return event.summary;
    default:
      return '';
  }
}

function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
