import type { CreateEvent, Event } from '@palimpsest/events';

const sender = 'palimpsest/refusal';

const text =
  'The provider refused this request for what it holds. Go on without the part that may have caused it, or say that you cannot.';

/** The message that tells the model that the provider refused the content. */
export function refusalNote(createEvent: CreateEvent): Event {
  return createEvent('message', { source: 'environment', role: 'user', content: [{ type: 'text', text }], sender });
}

/** Whether an event is a {@link refusalNote}. */
export function isRefusalNote(event: Event): boolean {
  return event.type === 'message' && event.source === 'environment' && event.sender === sender;
}
