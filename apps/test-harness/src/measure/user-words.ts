import type { Event } from '@palimpsest/events';
import type { Share } from './memory.js';
import { textOfEvent } from './recorded-session.js';
import type { RecordedSession } from './recorded-session.js';
import type { Meter } from './replayed-call.js';
import { shownIn } from './shown.js';

/** What requests show of the user's messages so far. No call reads a message again. */
export interface UserWords {
  /** The messages that stand whole in the requests, counted at each of them. */
  readonly messages: Share;
  /** The requests that show every message whole. */
  readonly requests: Share;
}

/** Measures how many of the user's messages stand word for word in each request: as they were logged, or in a summary. */
export function userWordMeter(session: RecordedSession): Meter<UserWords> {
  const [messages, requests] = [
    { part: 0, whole: 0 },
    { part: 0, whole: 0 },
  ];
  const said = session.events.flatMap((_, index) => (session.kinds[index] === 'user' ? [index] : []));
  let stubs = '';
  const quoted = new Map<number, boolean>();
  return {
    result: () => ({ messages, requests }),
    atCall: ({ index: modelCall, view }) => {
      const shown = shownIn(view, session);
      // Summaries are the same at most calls.
      if (shown.stubText() !== stubs) {
        stubs = shown.stubText();
        quoted.clear();
      }
      const isQuoted = (index: number): boolean => {
        const known = quoted.get(index) ?? stubs.includes(wordsOf(session.events[index]));
        quoted.set(index, known);
        return known;
      };
      const sofar = said.filter((index) => index < (session.calls[modelCall] ?? 0));
      const whole = sofar.filter((index) => shown.isWhole(index) || isQuoted(index));
      messages.whole += sofar.length;
      messages.part += whole.length;
      requests.whole++;
      if (whole.length === sofar.length) requests.part++;
    },
  };
}

/** Returns what the user wrote, without what a host added to the message. */
function wordsOf(event: Event | undefined): string {
  if (event?.type !== 'message') return '';
  return textOfEvent({ ...event, extendedContent: [] }).trim();
}
