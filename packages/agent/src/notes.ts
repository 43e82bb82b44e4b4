import type { CreateEvent, MessageEvent } from '@palimpsest/events';

/** Words of the framework that the model reads. */
export function note(text: string, createEvent: CreateEvent): MessageEvent {
  return createEvent('message', { source: 'environment', role: 'user', content: [{ type: 'text', text }] });
}

/** A message that came during a model call stands before the answer in the log, and the next request must not end there. */
export const unreadNote = 'The user wrote while you were answering, and you have not answered that message yet.';

/** Where a call fails again and again and a word may help. */
export const failingNote = 'The same call has failed several times in a row. Find out why, or try another way.';

/** How many model calls a run has left. */
export function turnsLeftNote(left: number): string {
  return `${left} more responses are left to you in this run. Bring the work to an end within them, and say what is still to be done.`;
}
