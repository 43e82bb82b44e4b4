import type { ContentPart, Event, EventSource, KnownContent, ToolDefinition } from '@palimpsest/events';
import {
  contentOf,
  isReadableInput,
  loggedArguments,
  readOpenAIContent,
  readTool,
  unknownToolName,
  unnamedToolName,
} from '@palimpsest/llm-adapters/wire';
import type { ContentPiece, Piece, ReadMessage, ResultPiece } from '@palimpsest/llm-adapters/wire';
import { eventsFromDrafts, ResponseDraft } from './drafts.js';
import type { CallDraft, EventDraft } from './drafts.js';
import { listOf, objectOf, textOf } from './json.js';
import { copiedHistoryType } from './model-calls.js';
import type { Entry, LogFormat, LogSource, NoteTaker } from './session.js';

/** The custom event that marks where the recording agent compacted its context. No model reads it. */
const recordedCompactionType = 'recorded/compaction';

/** The custom event for a part of a recorded message that no other event can hold. No model reads it. */
const recordedUnreadType = 'recorded/unread';

/** Options of {@link SessionRecorder.record}. */
export interface RecordingOptions {
  /** The reply that an assistant message belongs to. @defaultValue a new reply */
  readonly response?: ResponseDraft | undefined;
  /** Who wrote the text of a user message. @defaultValue the user */
  readonly sourceOf?: (text: string) => 'user' | 'environment';
  /** The tools of the model, for a message that is the system prompt. @defaultValue none */
  readonly tools?: readonly ToolDefinition[];
}

/**
 * Converts what a format reads, in the order of the log, to the events of one session. Matches results to calls, assigns ids
 * and times, and notes problems. Never reorders its input; leaves out only messages without content.
 */
export class SessionRecorder {
  readonly notes: NoteTaker;
  readonly #drafts: EventDraft[] = [];
  readonly #openCalls = new Map<string, CallDraft[]>();
  readonly #lastAnswered = new Map<string, CallDraft>();
  readonly #calls: CallDraft[] = [];
  readonly #responseIds = new Set<string>();
  readonly #parents = new Set<string>();
  #responses = 0;

  constructor(notes: NoteTaker) {
    this.notes = notes;
  }

  get isEmpty(): boolean {
    return this.#drafts.length === 0;
  }

  /** The number of replies so far. */
  get responses(): number {
    return this.#responses;
  }

  systemPrompt(entry: Entry, systemPrompt: string, tools: readonly ToolDefinition[] = [], dynamicContext = ''): void {
    const context = dynamicContext === '' ? {} : { dynamicContext };
    const fields = { systemPrompt, ...context, ...(tools.length === 0 ? {} : { tools }) };
    this.#drafts.push({ entry, fields: { type: 'system-prompt', source: 'agent', ...fields } });
  }

  /**
   * Adds a message that a reader of `@palimpsest/llm-adapters/wire` returns. Results keep their position within the text. A part
   * without a neutral form is noted and kept in an event. Returns the reply that an assistant message belongs to.
   */
  record(entry: Entry, { role, id, pieces }: ReadMessage, options: RecordingOptions = {}): ResponseDraft | undefined {
    switch (role) {
      case 'assistant': {
        const response = options.response ?? this.response(entry, id);
        for (const piece of pieces) this.#pieceOfAnswer(piece, response, entry);
        return response;
      }
      case 'system':
        this.instructions(entry, contentOf(pieces), options.tools);
        this.unread(entry, pieces);
        return undefined;
      case undefined:
        for (const piece of pieces) {
          if (piece.type !== 'unread') continue;
          if (objectOf(piece.value)['type'] !== undefined) this.unread(entry, [piece]);
          else this.notes.add('unknown-line-type', `${piece.reason}; it was left out`, entry.line);
        }
        return undefined;
      default:
        this.#piecesOfUser(pieces, entry, options.sourceOf ?? (() => 'user'));
        return undefined;
    }
  }

  /** Adds instructions: as the system prompt if the log begins with them, otherwise as a message of the framework. */
  instructions(entry: Entry, content: readonly ContentPart[], tools: readonly ToolDefinition[] = []): void {
    if (this.isEmpty) {
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n');
      this.systemPrompt(entry, text, tools);
    } else {
      this.message(entry, content, 'environment');
    }
  }

  /** Adds a user message; `source` is its author. A message without content is left out and noted. */
  message(entry: Entry, content: readonly ContentPart[], source: Exclude<EventSource, 'agent'>): void {
    if (content.length === 0) {
      this.notes.add('skipped-line', 'a message without content', entry.line);
      return;
    }
    this.#drafts.push({ entry, fields: { type: 'message', source, role: 'user', content } });
  }

  /**
   * Starts a reply of the model at this position of the log. Its id is unique, even if the provider's id is not.
   *
   * @param providerId - the provider's id of the response, if logged
   */
  response(entry: Entry, providerId?: string): ResponseDraft {
    this.#responses++;
    const wanted = providerId ?? `response-${this.#responses}`;
    let id = wanted;
    for (let copy = 2; this.#responseIds.has(id); copy++) id = `${wanted}#${copy}`;
    this.#responseIds.add(id);
    if (id !== wanted) this.notes.add('normalised', 'response ids that another reply has were replaced', entry.line);
    const response = new ResponseDraft(id, entry, providerId);
    this.#drafts.push({ response });
    return response;
  }

  /** Adds a call to a reply. The first call takes the position of the reply, further calls this one. `arguments` is JSON text. */
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
      this.notes.add('arguments-not-json', `the arguments of a call of '${name}' are no JSON object`, entry.line);
    const toolCall = {
      id,
      name,
      arguments: loggedArguments(call.arguments),
      ...(itemId === undefined ? {} : { itemId }),
    };
    const draft: CallDraft = { entry, toolCall, executable, answered: false, eventId: undefined };
    const open = this.#openCalls.get(id) ?? [];
    if (open.length > 0)
      this.notes.add('duplicate-call-id', `the call '${id}' was made again before its result`, entry.line);
    this.#openCalls.set(id, [...open, draft]);
    this.#calls.push(draft);
    response.addCall(draft);
    if (response.calls.length > 1) this.#drafts.push({ response, call: draft });
  }

  /** Adds a result and matches it to the oldest open call with this id. A result without a call is kept and noted. */
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

  /** The parts of a content: text, or parts in the form of the OpenAI APIs or the AI SDK. */
  parts(entry: Entry, content: unknown): readonly KnownContent[] {
    const pieces = readOpenAIContent(content, 'content');
    this.unread(entry, pieces);
    return contentOf(pieces);
  }

  /** Notes pieces without a neutral form and keeps them in events that no model reads. */
  unread(entry: Entry, pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (piece.type !== 'unread') continue;
      const { path, reason, value } = piece;
      const type = textOf(objectOf(value)['type']);
      const what = type === undefined ? path : `a '${type}'`;
      this.notes.add('unsupported-content', `${what}: ${reason}`, entry.line);
      this.internal({ ...entry, id: `${entry.id}-unread` }, { type: recordedUnreadType, path, reason, value });
    }
  }

  /** Takes the parent of a line. A second prompt with the same parent is noted: the user rewound the conversation there. */
  parent(logged: unknown, line: number | undefined, isPrompt = true): void {
    const parent = textOf(logged);
    if (parent === undefined) return;
    const message = 'the conversation was rewound; what was undone stays, in the order of the file';
    if (isPrompt && this.#parents.has(parent)) this.notes.add('branch', message, line);
    this.#parents.add(parent);
  }

  /** Adds an event that no model reads. */
  internal(entry: Entry, fields: { readonly type: string; readonly [field: string]: unknown }): void {
    this.#drafts.push({ entry, fields: { source: 'environment', ...fields } });
  }

  /** Marks a compaction of the recording agent. No event is forgotten, so a replay makes its own condensations. */
  compaction(entry: Entry, fields: Readonly<Record<string, unknown>>): void {
    this.notes.add(
      'recorded-compaction',
      'the recording agent compacted its context; the full history is kept',
      entry.line,
    );
    this.internal(entry, { ...fields, type: recordedCompactionType });
  }

  /**
   * Marks that all replies so far were copied from another session, such as the parent of a sub-agent. They are shown, but
   * their usage and their calls are not counted. Does nothing if there is no reply.
   */
  endOfCopiedHistory(entry: Entry, copiedFrom?: string): void {
    if (this.#responses === 0) return;
    for (const draft of this.#drafts) if ('response' in draft) draft.response.usage = undefined;
    const message = 'the history of another session begins this one; its replies are shown and not counted';
    this.notes.add('copied-history', message, entry.line);
    const from = copiedFrom === undefined ? {} : { copiedFrom };
    this.internal(
      { ...entry, id: `${entry.id}-copied` },
      { type: copiedHistoryType, replies: this.#responses, ...from },
    );
  }

  /** Notes the calls without a result and returns the events. */
  finish(): readonly Event[] {
    for (const call of this.#calls) {
      if (!call.answered)
        this.notes.add(
          'call-without-result',
          `the call '${call.toolCall.id}' of '${call.toolCall.name}' has no result`,
          call.entry.line,
        );
    }
    return eventsFromDrafts(this.#drafts, this.notes);
  }

  #pieceOfAnswer(piece: Piece, response: ResponseDraft, entry: Entry): void {
    switch (piece.type) {
      case 'call':
        this.call(response, entry, { ...piece, id: piece.id ?? madeCallId(entry, response) });
        return;
      case 'result':
        this.#pieceOfResult(piece, entry);
        return;
      case 'reasoning-item': {
        const { summary, content = [], encryptedContent } = piece.item;
        if (summary.length > 0 || content.length > 0 || encryptedContent !== undefined) response.add(piece);
        else this.notes.add('reasoning', 'reasoning of which the log kept nothing was left out', entry.line);
        return;
      }
      case 'unread':
        this.unread(entry, [piece]);
        return;
      default:
        response.add(piece);
    }
  }

  #piecesOfUser(pieces: readonly Piece[], entry: Entry, sourceOf: (text: string) => 'user' | 'environment'): void {
    let words: ContentPiece[] = [];
    const addWords = () => {
      const content = contentOf(words);
      const first = content.find((part) => part.type === 'text');
      this.message(entry, content, sourceOf(first?.text ?? ''));
      words = [];
    };
    for (const piece of pieces) {
      if (piece.type === 'content') words.push(piece);
      else if (piece.type === 'result') {
        if (words.length > 0) addWords();
        this.#pieceOfResult(piece, entry);
      } else this.unread(entry, [piece]);
    }
    if (words.length > 0 || !pieces.some(({ type }) => type === 'result')) addWords();
  }

  #pieceOfResult({ toolCallId, toolName, isError, content }: ResultPiece, entry: Entry): void {
    this.unread(entry, content);
    const callId =
      toolCallId ??
      this.#calls.findLast(({ toolCall, answered }) => toolCall.name === toolName && !answered)?.toolCall.id;
    this.result(entry, { callId, toolName, content: contentOf(content), isError });
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
      this.notes.add('result-without-call', `a result for '${id}', which was not called before`, entry.line);
    else this.notes.add('duplicate-result', `another result for the call '${id}'`, entry.line);
    return answered;
  }
}

/** Returns the id for a call without an id in the log. */
export function madeCallId(entry: Entry, { calls }: ResponseDraft): string {
  return calls.length === 0 ? `call-of-${entry.id}` : `call-of-${entry.id}-${calls.length}`;
}

/** Returns the tools in a log, in the form of any API. A tool that only the provider runs is left out and noted. */
export function toolDefinitions(tools: unknown, notes: NoteTaker): readonly ToolDefinition[] {
  return listOf(tools).flatMap((tool) => {
    const definition = readTool(tool);
    if (definition === undefined) {
      const type = textOf(objectOf(tool)['type']) ?? 'unknown';
      notes.add('unsupported-content', `a tool of type '${type}', which only the provider runs, was left out`);
    }
    return definition ?? [];
  });
}

/** Returns the text parts of a content, joined by line feeds. */
export function plainText(content: unknown): string {
  return contentOf(readOpenAIContent(content, 'content'))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}

/** Makes a format whose logs hold one session each. */
export function singleSession(
  name: string,
  recognise: LogFormat['recognise'],
  record: (recorder: SessionRecorder, source: LogSource) => void | Promise<void>,
): LogFormat {
  return {
    name,
    recognise,
    async *read(source) {
      const recorder = new SessionRecorder(source.notes);
      await record(recorder, source);
      yield { name: source.name, events: recorder.finish() };
    },
  };
}
