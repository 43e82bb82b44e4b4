import type { ContentPart, Event, EventSource, KnownContent, ToolDefinition } from '@palimpsest/events';
import {
  contentOf,
  isReadableInput,
  loggedArguments,
  readOpenAIContent,
  unknownToolName,
  unnamedToolName,
} from '@palimpsest/llm-adapters/wire';
import type { Piece } from '@palimpsest/llm-adapters/wire';
import type { Entry } from './entry.js';
import type { EventDraft } from './event-drafts.js';
import { eventsFromDrafts } from './event-drafts.js';
import { objectOf, textOf } from './json-shape.js';
import type { NoteTaker } from './note-taker.js';
import { ResponseDraft } from './response-draft.js';
import type { CallDraft } from './response-draft.js';

/** The custom event that marks where the recording agent compacted its context. No model reads it. */
export const recordedCompactionType = 'recorded/compaction';

/** The custom event that keeps what a recorded message holds and no event has a place for. No model reads it. */
export const recordedUnreadType = 'recorded/unread';

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

  systemPrompt(entry: Entry, systemPrompt: string, tools: readonly ToolDefinition[] = [], dynamicContext = ''): void {
    const context = dynamicContext === '' ? {} : { dynamicContext };
    const fields = { systemPrompt, ...context, ...(tools.length === 0 ? {} : { tools }) };
    this.#drafts.push({ entry, fields: { type: 'system-prompt', source: 'agent', ...fields } });
  }

  /** Instructions: the system prompt when they are the first thing in the log, otherwise a message of the framework. */
  instructions(entry: Entry, content: readonly ContentPart[], tools: readonly ToolDefinition[] = []): void {
    if (this.isEmpty) {
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n');
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

  /** Adds a call to a reply. The first stands where the reply began, each further one here. `arguments` is JSON text. */
  call(
    response: ResponseDraft,
    entry: Entry,
    call: {
      readonly id: string;
      readonly name?: string | undefined;
      readonly arguments: string;
      readonly itemId?: string | undefined;
    },
  ): void {
    const { id, name = unnamedToolName, itemId } = call;
    const executable = isReadableInput(call.arguments);
    if (!executable)
      this.#notes.add('arguments-not-json', `the arguments of a call of '${name}' are no JSON object`, entry.line);
    const toolCall = {
      id,
      name,
      arguments: loggedArguments(call.arguments),
      ...(itemId === undefined ? {} : { itemId }),
    };
    const draft: CallDraft = { entry, toolCall, executable, answered: false, eventId: undefined };
    const open = this.#openCalls.get(id) ?? [];
    if (open.length > 0)
      this.#notes.add('duplicate-call-id', `the call '${id}' was made again before its result`, entry.line);
    this.#openCalls.set(id, [...open, draft]);
    this.#calls.push(draft);
    response.addCall(draft);
    if (response.calls.length > 1) this.#drafts.push({ response, call: draft });
  }

  /** The id of the latest open call of a tool, for results that name their tool alone. */
  openCallOf(toolName: string): string | undefined {
    return this.#calls.findLast(({ toolCall, answered }) => toolCall.name === toolName && !answered)?.toolCall.id;
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
    const id = result.callId ?? `result-of-${entry.id}`;
    const call = this.#answer(id, entry);
    const fields = {
      type: 'observation',
      source: 'environment',
      toolCallId: id,
      toolName: call?.toolCall.name ?? result.toolName ?? unknownToolName,
      content: result.content,
      ...(result.isError === true ? { isError: true } : {}),
      details: result.details,
    };
    this.#drafts.push({ entry, fields, answers: call });
  }

  /** The parts of a content: text, or parts as OpenAI's APIs and the AI SDK have them. */
  parts(entry: Entry, content: unknown): readonly KnownContent[] {
    const pieces = readOpenAIContent(content, 'content');
    this.unread(entry, pieces);
    return contentOf(pieces);
  }

  /** Notes what of some pieces has no neutral form, and keeps it in events that no model reads. */
  unread(entry: Entry, pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (piece.type !== 'unread') continue;
      const { path, reason, value } = piece;
      const type = textOf(objectOf(value)['type']);
      const what = type === undefined ? path : `a '${type}'`;
      this.#notes.add('unsupported-content', `${what}: ${reason}`, entry.line);
      this.internal({ ...entry, id: `${entry.id}-unread` }, { type: recordedUnreadType, path, reason, value });
    }
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
          `the call '${call.toolCall.id}' of '${call.toolCall.name}' has no result`,
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
}
