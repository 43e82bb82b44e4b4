import type { Event } from '@palimpsest/events';
import { InvalidEventError, parseEvent } from '@palimpsest/events';
import type { NoteTaker } from './note-taker.js';
import type { CallDraft, ResponseDraft } from './response-draft.js';
import type { Entry } from './entry.js';

/**
 * A future event, in the order of the log. A draft holds the fields of one event, or marks where a response begins (its first
 * action or its message), or marks a further call of that response.
 */
export type EventDraft =
  | { readonly entry: Entry; readonly fields: Readonly<Record<string, unknown>>; readonly answers?: CallDraft }
  | { readonly response: ResponseDraft; readonly call?: CallDraft };

/** Converts drafts to events. Ids and times come only from the log, so the same log always gives the same events. */
export function eventsFromDrafts(drafts: readonly EventDraft[], notes: NoteTaker): readonly Event[] {
  const events: Event[] = [];
  const ids = new EventIds(notes);
  const times = new EventTimes();
  const lastDraftOf = new Map<ResponseDraft, EventDraft>();
  for (const draft of drafts) if ('response' in draft) lastDraftOf.set(draft.response, draft);

  const add = (entry: Entry, fields: Readonly<Record<string, unknown>>, id = ids.next(entry)): string => {
    try {
      events.push(parseEvent({ ...fields, id, timestamp: times.of(entry) }));
    } catch (error) {
      if (!InvalidEventError.isInstance(error)) throw error;
      notes.add('invalid-event', error.message, entry.line);
    }
    return id;
  };

  for (const draft of drafts) {
    if ('fields' in draft) {
      const actionId = draft.answers?.eventId;
      add(draft.entry, actionId === undefined ? draft.fields : { ...draft.fields, actionId });
      continue;
    }
    const { response } = draft;
    const call = draft.call ?? response.calls[0];
    if (call === undefined) {
      const { content, role: _role, ...thinking } = response.message;
      if (content.length === 0 && Object.keys(thinking).length === 0)
        notes.add('empty-response', 'the model was called and nothing came back', response.entry.line);
      add(response.entry, messageFields(response));
    } else {
      // The request was sent when the response began, so the first action gets the time of the first line.
      const isFirst = draft.call === undefined;
      const { timestamp } = isFirst ? response.entry : call.entry;
      call.eventId = add({ ...call.entry, timestamp }, actionFields(response, call, isFirst), ids.next(call.entry));
    }
    if (lastDraftOf.get(response) === draft && response.usage !== undefined) {
      const { entry, model, usage, costUsd } = response.usage;
      const fields = {
        type: 'llm-usage',
        source: 'environment',
        responseId: response.id,
        providerResponseId: response.providerId,
        model,
        usage,
        purpose: 'agent',
      };
      add(entry, costUsd === undefined ? fields : { ...fields, costUsd });
    }
  }
  return Object.freeze(events);
}

function messageFields(response: ResponseDraft): Readonly<Record<string, unknown>> {
  return { type: 'message', source: 'agent', llmResponseId: response.id, ...response.message };
}

function actionFields(response: ResponseDraft, call: CallDraft, isFirst: boolean): Readonly<Record<string, unknown>> {
  const { role: _role, content, toolCalls: _toolCalls, ...thinking } = response.message;
  return {
    type: 'action',
    source: 'agent',
    toolCall: call.toolCall,
    llmResponseId: response.id,
    ...(call.executable ? {} : { executable: false }),
    ...(isFirst ? { thought: content, ...thinking } : { thought: [] }),
  };
}

/** Assigns unique ids: the id of the entry, with a number from the second event on. */
class EventIds {
  readonly #notes: NoteTaker;
  readonly #used = new Set<string>();
  readonly #made = new Map<string, number>();

  constructor(notes: NoteTaker) {
    this.#notes = notes;
  }

  next(entry: Entry): string {
    const made = (this.#made.get(entry.id) ?? 0) + 1;
    this.#made.set(entry.id, made);
    const wanted = made === 1 ? entry.id : `${entry.id}#${made}`;
    let id = wanted;
    for (let copy = 2; this.#used.has(id); copy++) id = `${wanted}~${copy}`;
    if (id !== wanted)
      this.#notes.add('duplicate-event-id', `the id '${wanted}' is taken; the later event became '${id}'`, entry.line);
    this.#used.add(id);
    return id;
  }
}

/** Assigns the logged time. If the log has none, assigns the time of the previous event. */
class EventTimes {
  #latest = '1970-01-01T00:00:00.000Z';

  of(entry: Entry): string {
    this.#latest = loggedTime(entry.timestamp) ?? this.#latest;
    return this.#latest;
  }
}

function loggedTime(timestamp: unknown): string | undefined {
  // Text is kept unchanged: parsing a time without a zone would assume the local time zone.
  if (typeof timestamp === 'string') return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(timestamp) ? timestamp : undefined;
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp)) return undefined;
  // Seconds or milliseconds since 1970. Read as seconds, 1e11 is in the year 5138, so larger numbers are milliseconds.
  const date = new Date(timestamp < 1e11 ? timestamp * 1000 : timestamp);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
