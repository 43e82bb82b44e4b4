import { InvalidEventError, parseEvent } from '@palimpsest/events';
import type { AssistantMessage, Event, KnownContent, ToolCall, Usage } from '@palimpsest/events';
import { totalInputTokens } from '@palimpsest/llm-adapters';
import { AnswerBuilder } from '@palimpsest/llm-adapters/wire';
import type { Piece } from '@palimpsest/llm-adapters/wire';
import { textOf } from './json.js';
import type { Entry, NoteTaker } from './session.js';

/** A tool call of the response being read. */
export interface CallDraft {
  readonly entry: Entry;
  readonly toolCall: ToolCall;
  readonly executable: boolean;
  answered: boolean;
  /** Set when the events are made. */
  eventId: string | undefined;
}

/**
 * One reply of the model, collected from one or more lines of the log. It becomes a batch of actions; the first action
 * carries the text and the thinking. A reply without calls becomes an assistant message.
 */
export class ResponseDraft {
  readonly id: string;
  readonly entry: Entry;
  /** The provider's id of the response, if logged. */
  readonly providerId: string | undefined;
  readonly calls: CallDraft[] = [];
  usage:
    { readonly entry: Entry; readonly model: string; readonly usage: Usage; readonly costUsd?: number } | undefined;
  // Every call has an id before it is added.
  readonly #builder = new AnswerBuilder({ newCallId: () => '' });

  constructor(id: string, entry: Entry, providerId?: string) {
    this.id = id;
    this.entry = entry;
    this.providerId = providerId;
  }

  /** Adds the pieces that a reader returns. */
  add(...pieces: readonly Piece[]): void {
    for (const piece of pieces) this.#builder.add(piece);
  }

  /** Adds text and images. */
  say(parts: readonly KnownContent[]): void {
    this.add(...parts.map((part) => ({ type: 'content' as const, part })));
  }

  addCall(call: CallDraft): void {
    this.calls.push(call);
    this.#builder.add({ type: 'call', ...call.toolCall, path: '', value: call.toolCall });
  }

  /**
   * Sets the usage of the reply from a line of the log. Ignores counts that are all 0, because the call failed or was not
   * counted, and a cost below 0.
   */
  count(entry: Entry, model: unknown, usage: Usage | undefined, costUsd?: number): void {
    if (usage === undefined || (totalInputTokens(usage) === 0 && usage.outputTokens === 0)) return;
    const cost = costUsd === undefined || costUsd < 0 ? {} : { costUsd };
    this.usage = { entry, model: textOf(model) ?? 'unknown', usage, ...cost };
  }

  /** All added parts as one message. */
  get message(): AssistantMessage {
    return this.#builder.end().message;
  }
}

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
  const nextId = eventIds(notes);
  // The logged time. An entry without one has the time of the event before it.
  let time = '1970-01-01T00:00:00.000Z';
  const lastDraftOf = new Map<ResponseDraft, EventDraft>();
  for (const draft of drafts) if ('response' in draft) lastDraftOf.set(draft.response, draft);

  const add = (entry: Entry, fields: Readonly<Record<string, unknown>>, id = nextId(entry)): string => {
    time = loggedTime(entry.timestamp) ?? time;
    try {
      events.push(parseEvent({ ...fields, id, timestamp: time }));
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
      call.eventId = add({ ...call.entry, timestamp }, actionFields(response, call, isFirst), nextId(call.entry));
    }
    if (lastDraftOf.get(response) === draft && response.usage !== undefined) {
      const { entry, model, usage, costUsd } = response.usage;
      add(entry, {
        type: 'llm-usage',
        source: 'environment',
        responseId: response.id,
        providerResponseId: response.providerId,
        model,
        usage,
        purpose: 'agent',
        ...(costUsd === undefined ? {} : { costUsd }),
      });
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

/** Returns a function that assigns unique ids: the id of the entry, with a number from the second event on. */
function eventIds(notes: NoteTaker): (entry: Entry) => string {
  const used = new Set<string>();
  const made = new Map<string, number>();
  return ({ id: own, line }) => {
    const count = (made.get(own) ?? 0) + 1;
    made.set(own, count);
    const wanted = count === 1 ? own : `${own}#${count}`;
    let id = wanted;
    for (let copy = 2; used.has(id); copy++) id = `${wanted}~${copy}`;
    if (id !== wanted)
      notes.add('duplicate-event-id', `the id '${wanted}' is taken; the later event became '${id}'`, line);
    used.add(id);
    return id;
  };
}

function loggedTime(timestamp: unknown): string | undefined {
  // Text is kept unchanged: parsing a time without a zone would assume the local time zone.
  if (typeof timestamp === 'string') return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(timestamp) ? timestamp : undefined;
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp)) return undefined;
  // Seconds or milliseconds since 1970. Read as seconds, 1e11 is in the year 5138, so larger numbers are milliseconds.
  const date = new Date(timestamp < 1e11 ? timestamp * 1000 : timestamp);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
