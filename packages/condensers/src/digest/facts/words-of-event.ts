import { isKnownContent, isSentRole, toolResultContent } from '@palimpsest/events';
import type { ContentPart, Event } from '@palimpsest/events';

/**
 * Returns the message text of an event, as it was logged; images are named. Undefined if the event holds no message
 * text.
 */
export function wordsOfEvent(event: Event | undefined): string | undefined {
  switch (event?.type) {
    case 'message':
      return isSentRole(event.role) ? text(event.content) : undefined;
    case 'action':
      return text(event.thought);
    case 'user-reject-observation':
      return event.rejectionReason;
    case 'observation': {
      const said = text(toolResultContent(event));
      return /\bthe user said:\s*([\s\S]*)/i.exec(said)?.[1] ?? said;
    }
    default:
      return undefined;
  }
}

function text(parts: readonly ContentPart[]): string {
  return parts
    .filter(isKnownContent)
    .map((part) => (part.type === 'text' ? part.text : '[image]'))
    .join('\n')
    .trim();
}
