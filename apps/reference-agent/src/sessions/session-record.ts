import { createEvent, isUserMessage, sliceText } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { z } from 'zod';

/** The version of `session.json` that this version writes. */
export const recordVersion = 1;

/** The schema of `session.json`. */
export const sessionRecordSchema = z.object({
  schemaVersion: z.literal(recordVersion),
  id: z.string().min(1),
  /** Absolute, with its links resolved. */
  workspace: z.string().min(1),
  /** ISO 8601. */
  created: z.string().min(1),
  /** The model of the latest run, as it was named. */
  model: z.string(),
  /** The address of its server, if it was given. */
  baseUrl: z.string().optional(),
  /** What became of calls that need a yes, if it was said: a session that waits goes on waiting when it is resumed. */
  onAsk: z.enum(['deny', 'wait']).optional(),
  /** The first words of the user, on one line. Empty if there are none yet. */
  task: z.string(),
  /** The session from which this one was forked. */
  parent: z.string().min(1).optional(),
});

/** What is known of a session without its log. */
export type SessionRecord = z.infer<typeof sessionRecordSchema>;

const key = 'session';
const placeSchema = sessionRecordSchema.pick({ workspace: true, model: true, baseUrl: true, onAsk: true });
const forkSchema = z.object({ conversationId: z.string().min(1) });
/** Unit: characters. */
const longestTask = 200;

/** Where a session works, and with which model. */
export type Place = Readonly<z.infer<typeof placeSchema>>;

/** The event that records where a session works. */
export function placeEvent(place: Place): Event {
  return createEvent('conversation-state-update', { key, value: { ...place } });
}

/** The record of a session, from its log; undefined if the log does not say where the session works. */
export function recordOf(id: string, events: Iterable<Event>): SessionRecord | undefined {
  let created: string | undefined;
  let task: string | undefined;
  let place: Place | undefined;
  let parent: string | undefined;
  for (const event of events) {
    created ??= event.timestamp;
    if (isUserMessage(event)) task ??= firstWords(event);
    if (event.type !== 'conversation-state-update') continue;
    if (event.key === key) place = placeSchema.safeParse(event.value).data ?? place;
    if (event.key === 'forked-from') parent = forkSchema.safeParse(event.value).data?.conversationId ?? parent;
  }
  if (created === undefined || place === undefined) return undefined;
  return {
    schemaVersion: recordVersion,
    id,
    ...place,
    created,
    task: task ?? '',
    ...(parent === undefined ? {} : { parent }),
  };
}

function firstWords({ content }: Extract<Event, { type: 'message' }>): string {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
  return sliceText(text.replace(/\s+/g, ' ').trim(), 0, longestTask);
}
