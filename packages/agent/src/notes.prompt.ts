import type { CreateEvent, Event, MessageEvent } from '@palimpsest/events';

/** A message of the framework to the model. */
export function note(text: string, createEvent: CreateEvent): MessageEvent {
  return createEvent('message', { source: 'environment', role: 'user', content: [{ type: 'text', text }] });
}

/** For a message that came during a model call: the log has it before the answer, and a request must not end in an answer. */
export const unreadNote = 'The user wrote while you were answering, and you have not answered that message yet.';

/** For a call that fails repeatedly, before the run counts as stuck. */
export const failingNote = 'The same call has failed several times in a row. Find out why, or try another way.';

/** Tells the model how many responses are left in the run. */
export function turnsLeftNote(left: number): string {
  return `${left} more responses are left to you in this run. Bring the work to an end within them, and say what is still to be done.`;
}

const refusalSender = 'palimpsest/refusal';

const refusalText =
  'The provider refused this request for what it holds. Go on without the part that may have caused it, or say that you cannot.';

/** The message that tells the model that the provider refused the content. */
export function refusalNote(createEvent: CreateEvent): Event {
  return createEvent('message', {
    source: 'environment',
    role: 'user',
    content: [{ type: 'text', text: refusalText }],
    sender: refusalSender,
  });
}

/** Whether an event is a {@link refusalNote}. */
export function isRefusalNote(event: Event): boolean {
  return event.type === 'message' && event.source === 'environment' && event.sender === refusalSender;
}
