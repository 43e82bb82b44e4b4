import type { ContentPart, Event, EventSource, ToolDefinition } from '@palimpsest/events';
import type { EventDraft } from './event-drafts.js';
import { eventsFromDrafts } from './event-drafts.js';
import { argumentsText, isObject } from './json-shape.js';
import type { NoteTaker } from './note-taker.js';
import { ResponseDraft } from './response-draft.js';
import type { CallDraft } from './response-draft.js';
import { wireCallId, wireToolName } from './wire-names.js';

/** The place in a log from which events are made: their ids are its id, then `id#2`, `id#3`. */
export interface Entry {
  /** The log's own id, or one made from the position (`line-12`). */
  readonly id: string;
  readonly line?: number | undefined;
  /** As logged: ISO 8601 text, or milliseconds since 1970. Without one, the time of the event before is taken. */
  readonly timestamp?: unknown;
}

/** The custom event that marks where the recording agent compacted its context. No model reads it. */
export const recordedCompactionType = 'recorded/compaction';

/**
 * Turns what a format reads, in the order of the log, into the events of one session. It matches results to calls, gives
 * ids and times, and notes what is amiss; it never drops or reorders what it is told.
 */
export class SessionRecorder {
  readonly #notes: NoteTaker;
  readonly #drafts: EventDraft[] = [];
  readonly #openCalls = new Map<string, CallDraft[]>();
  readonly #lastAnswered = new Map<string, CallDraft>();
  readonly #calls: CallDraft[] = [];
  readonly #responseIds = new Set<string>();
  #responses = 0;
  #hasSystemPrompt = false;

  constructor(notes: NoteTaker) {
    this.#notes = notes;
  }

  get isEmpty(): boolean {
    return this.#drafts.length === 0;
  }

  /** How often the model has replied so far. */
  get responses(): number {
    return this.#responses;
  }

  /** Whether the conversation has its instructions already; a later instruction is then an environment's message. */
  get hasSystemPrompt(): boolean {
    return this.#hasSystemPrompt;
  }

  systemPrompt(entry: Entry, systemPrompt: string, tools: readonly ToolDefinition[] = []): void {
    this.#hasSystemPrompt = true;
    const fields = { systemPrompt, ...(tools.length === 0 ? {} : { tools }) };
    this.#drafts.push({ entry, fields: { type: 'system-prompt', source: 'agent', ...fields } });
  }

  /** Instructions: the system prompt when they are the first thing in the log, otherwise a message of the framework. */
  instructions(entry: Entry, content: readonly ContentPart[], tools: readonly ToolDefinition[] = []): void {
    if (this.isEmpty) {
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      this.systemPrompt(entry, text, tools);
    } else {
      this.message(entry, content, 'environment');
    }
  }

  /** What the model reads in the user's place; the source says who wrote it. One without content is left out and noted. */
  message(entry: Entry, content: readonly ContentPart[], source: Exclude<EventSource, 'agent'>): void {
    if (content.length === 0) {
      this.#notes.add('skipped-line', 'a message without content', entry.line);
      return;
    }
    this.#drafts.push({ entry, fields: { type: 'message', source, role: 'user', content } });
  }

  /**
   * Opens a reply of the model at this position of the log. Each has an id of its own, whatever the provider called it.
   *
   * @param providerId - the provider's id of it, where logged
   */
  response(entry: Entry, providerId?: string): ResponseDraft {
    this.#responses++;
    const wanted = providerId ?? `response-${this.#responses}`;
    let id = wanted;
    for (let copy = 2; this.#responseIds.has(id); copy++) id = `${wanted}#${copy}`;
    this.#responseIds.add(id);
    if (id !== wanted) this.#notes.add('normalised', 'response ids that another reply has were replaced', entry.line);
    const response = new ResponseDraft(id, entry, providerId);
    this.#drafts.push({ response });
    return response;
  }

  /** Adds a call to a reply. The first stands where the reply began, each further one here. */
  call(
    response: ResponseDraft,
    entry: Entry,
    call: { readonly id: string; readonly name: string; readonly input: unknown; readonly itemId?: string | undefined },
  ): void {
    const id = this.#callId(call.id, entry);
    const name = this.#toolName(call.name, entry);
    const text = argumentsText(call.input);
    const executable = isJsonObject(text);
    if (!executable)
      this.#notes.add('arguments-not-json', `the arguments of a call of '${name}' are no JSON object`, entry.line);
    const draft: CallDraft = {
      entry,
      id,
      name,
      arguments: text,
      itemId: call.itemId,
      executable,
      answered: false,
      eventId: undefined,
    };
    const open = this.#openCalls.get(id) ?? [];
    if (open.length > 0)
      this.#notes.add('duplicate-call-id', `the call '${id}' was made again before its result`, entry.line);
    this.#openCalls.set(id, [...open, draft]);
    this.#calls.push(draft);
    response.calls.push(draft);
    if (response.calls.length > 1) this.#drafts.push({ response, call: draft });
  }

  /** The result of a call, matched to the oldest open call with this id; one that matches none is kept and noted. */
  result(
    entry: Entry,
    result: {
      readonly callId: string | undefined;
      readonly toolName?: string | undefined;
      readonly content: readonly ContentPart[];
      readonly isError?: boolean | undefined;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
    },
  ): void {
    const id = this.#callId(result.callId ?? `result-of-${entry.id}`, entry);
    const call = this.#answer(id, entry);
    const fields = {
      type: 'observation',
      source: 'environment',
      toolCallId: id,
      toolName: call?.name ?? this.#toolName(result.toolName ?? 'unknown', entry),
      content: result.content,
      ...(result.isError === true ? { isError: true } : {}),
      details: result.details,
    };
    this.#drafts.push({ entry, fields, answers: call });
  }

  /** An event that no model reads. */
  internal(entry: Entry, fields: { readonly type: string; readonly [field: string]: unknown }): void {
    this.#drafts.push({ entry, fields: { source: 'environment', ...fields } });
  }

  /** Marks where the recording agent compacted. Nothing is forgotten, so that a replay decides for itself. */
  compaction(entry: Entry, fields: Readonly<Record<string, unknown>>): void {
    this.#notes.add(
      'recorded-compaction',
      'the recording agent compacted its context; the full history is kept',
      entry.line,
    );
    this.internal(entry, { ...fields, type: recordedCompactionType });
  }

  /** The events, once everything has been told. */
  finish(): readonly Event[] {
    for (const call of this.#calls) {
      if (!call.answered)
        this.#notes.add(
          'call-without-result',
          `the call '${call.id}' of '${call.name}' has no result`,
          call.entry.line,
        );
    }
    return eventsFromDrafts(this.#drafts, this.#notes);
  }

  #answer(id: string, entry: Entry): CallDraft | undefined {
    const call = this.#openCalls.get(id)?.shift();
    if (call !== undefined) {
      call.answered = true;
      this.#lastAnswered.set(id, call);
      return call;
    }
    const answered = this.#lastAnswered.get(id);
    if (answered === undefined)
      this.#notes.add('result-without-call', `a result for '${id}', which was not called before`, entry.line);
    else this.#notes.add('duplicate-result', `another result for the call '${id}'`, entry.line);
    return answered;
  }

  #callId(logged: string, entry: Entry): string {
    const id = wireCallId(logged);
    if (id !== logged) this.#notes.add('normalised', 'call ids that providers refuse were replaced', entry.line);
    return id;
  }

  #toolName(logged: string, entry: Entry): string {
    const name = wireToolName(logged);
    if (name !== logged)
      this.#notes.add('normalised', `the tool name '${logged}', which providers refuse, became '${name}'`, entry.line);
    return name;
  }
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
