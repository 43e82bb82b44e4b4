import type { Conversation } from '@palimpsest/agent';
import type { Event, EventLog } from '@palimpsest/events';
import { CondensationHistory } from '@palimpsest/view';
import { SessionFigures } from '../../output/figures.js';

/** What the condensations of a conversation changed. The log is read once; a call reads what has come since. */
export const condensationHistory = readerOf(() => new CondensationHistory());

/** The figures of a conversation. The log is read once; a call reads what has come since. */
export const sessionFigures = readerOf(() => new SessionFigures());

function readerOf<Reader extends { append(event: Event): void }>(
  make: () => Reader,
): (conversation: Conversation) => Reader {
  const readers = new WeakMap<EventLog, { readonly reader: Reader; read: number }>();
  return ({ events }) => {
    const known = readers.get(events) ?? { reader: make(), read: 0 };
    for (const event of events.slice(known.read)) known.reader.append(event);
    known.read = events.length;
    readers.set(events, known);
    return known.reader;
  };
}
