import type { Event } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { holdsSpan } from './evidence.js';
import type { Evidence } from './evidence.js';
import { textOfEvent } from './recorded-session.js';
import type { RecordedSession } from './recorded-session.js';

/** What a view shows of a recorded session. */
export interface Shown {
  /** Returns true if the event of this index stands in the view as it was logged. */
  readonly isWhole: (index: number) => boolean;
  /** Returns true if a stub or a summary holds the span at the boundaries of words. */
  readonly isInStub: (span: string) => boolean;
  /** Returns the text of all stubs and summaries. */
  readonly stubText: () => string;
}

/** Returns what a view shows of the events of a session. `indexOf` says of which recorded event each event of the view is. */
export function shownIn(view: View, { events, indexOf }: Pick<RecordedSession, 'events' | 'indexOf'>): Shown {
  const whole = new Set<number>();
  const stubs: Event[] = [];
  for (const event of view.events) {
    if (view.leftOut.has(event.id)) continue;
    const index = indexOf.get(event.id);
    if (index === undefined || (isRedacted(event) && !isRedacted(events[index]))) stubs.push(event);
    else whole.add(index);
  }
  let text: string | undefined;
  const stubText = (): string => (text ??= stubs.map(textOfStub).join('\n'));
  return {
    isWhole: (index) => whole.has(index),
    isInStub: (span) => holdsSpan(stubText(), span),
    stubText,
  };
}

/** Returns true if an event that holds the evidence stands in the view as it was logged. */
export function isShownWhole({ sources, mentions }: Evidence, { isWhole }: Shown): boolean {
  return sources.some(isWhole) || mentions.some(isWhole);
}

/** Returns true for the copy of an event whose text a view has replaced. */
export function isRedacted(event: Event | undefined): boolean {
  return event !== undefined && 'redacted' in event && event.redacted === true;
}

/** Returns the text of a stub. A masked call stands with its arguments as they are, which need not be JSON. */
function textOfStub(event: Event): string {
  return event.type === 'action' ? event.toolCall.arguments : textOfEvent(event);
}
