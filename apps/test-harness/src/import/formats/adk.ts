import type { Usage } from '@palimpsest/events';
import { usageInAnyForm } from '@palimpsest/llm-adapters/wire';
import { GeminiContents, googleField } from '../log/gemini-contents.js';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { SessionRecorder } from '../log/recorder.js';
import type { Entry, ImportedSession, LogFormat, LogSource, NoteTaker } from '../log/session.js';

/** Calls by which the framework asks the user's program. No model is sent them. */
const ownCalls: ReadonlySet<unknown> = new Set([
  'adk_request_confirmation',
  'adk_request_credential',
  'adk_request_input',
]);

/**
 * Sessions of Google's Agent Development Kit: a session with its `events`, a list of events, or events on lines of their own,
 * with the field names of either serialisation. Neither the instructions nor the tools of the agent are in a session.
 *
 * @see https://adk.dev/sessions/session/ and https://github.com/google/adk-python `src/google/adk/events/event.py`,
 * `src/google/adk/flows/llm_flows/contents.py`
 */
export const adkSession: LogFormat = {
  name: 'adk-session',
  recognise: ({ head }) => head.some((value) => isEvent(value) || isSession(value) || eventsIn(value).some(isEvent)),
  read: readAdk,
};

async function* readAdk(source: LogSource): AsyncGenerator<ImportedSession> {
  const { document, notes } = source;
  const onLines: unknown[] = [];
  for await (const { value, line } of source.records()) {
    if (isSession(value) || eventsIn(value).some(isEvent)) {
      const id = document === undefined ? `#${textOf(objectOf(value)['id']) ?? line}` : '';
      yield { name: `${source.name}${id}`, events: sessionOf(eventsIn(value), notes) };
    } else onLines.push(value);
  }
  if (onLines.length > 0) yield { name: source.name, events: sessionOf(onLines, notes) };
}

/** Returns true for a session, also for one without events. */
function isSession(value: unknown): boolean {
  return isObject(value) && Array.isArray(value['events']) && textOf(googleField(value, 'appName')) !== undefined;
}

function isEvent(value: unknown): boolean {
  return (
    isObject(value) &&
    textOf(value['author']) !== undefined &&
    typeof googleField(value, 'invocationId') === 'string' &&
    value['type'] === undefined
  );
}

function eventsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : listOf(objectOf(value)['events']);
}

function sessionOf(events: readonly unknown[], notes: NoteTaker): ImportedSession['events'] {
  const reader = new AdkReader(new SessionRecorder(notes));
  for (const [index, event] of events.entries()) {
    if (isObject(event)) reader.read(event, index);
    else notes.unknown('values that are no event');
  }
  return reader.finish();
}

class AdkReader {
  readonly #recorder: SessionRecorder;
  readonly #contents: GeminiContents;
  #agent: string | undefined;

  constructor(recorder: SessionRecorder) {
    this.#recorder = recorder;
    this.#contents = new GeminiContents(recorder);
  }

  finish(): ImportedSession['events'] {
    return this.#recorder.finish();
  }

  read(event: JsonObject, index: number): void {
    const entry: Entry = { id: textOf(event['id']) ?? `event-${index}`, timestamp: event['timestamp'] };
    const { notes } = this.#recorder;
    if (event['partial'] === true) {
      notes.add('skipped-line', 'a piece of a stream, which is logged whole too');
      return;
    }
    this.#actions(objectOf(event['actions']), entry);
    this.#error(event, entry);
    const parts = partsOf(event).filter((part) => !isOwnCall(part));
    const isUser = event['author'] === 'user';
    if (isUser || parts.some((part) => isObject(googleField(part, 'functionResponse')))) {
      if (parts.length > 0) this.#contents.user(entry, parts, () => (isUser ? 'user' : 'environment'));
    } else if (parts.length > 0 || usageOf(event) !== undefined) {
      this.#noteAgent(event);
      const response = this.#recorder.response(entry);
      this.#contents.answer(response, entry, parts);
      response.count(entry, googleField(event, 'modelVersion'), usageOf(event));
    } else {
      notes.add('skipped-line', 'an event without content for the model');
    }
  }

  #actions(actions: JsonObject, entry: Entry): void {
    const compaction = actions['compaction'];
    if (isObject(compaction)) {
      const parts = listOf(objectOf(googleField(compaction, 'compactedContent'))['parts']).map(objectOf);
      const summary = parts.flatMap((part) => textOf(part['text']) ?? []).join('\n');
      this.#recorder.compaction(entry, { summary });
    }
    if (textOf(googleField(actions, 'rewindBeforeInvocationId')) !== undefined)
      this.#recorder.notes.add('branch', 'the session was rewound; what was undone stays, in the order of the log');
  }

  #error(event: JsonObject, entry: Entry): void {
    const code = textOf(googleField(event, 'errorCode'));
    const detail = textOf(googleField(event, 'errorMessage')) ?? '';
    if (code === undefined) return;
    this.#recorder.internal({ ...entry, id: `${entry.id}-error` }, { type: 'conversation-error', code, detail });
  }

  /** A session is shared by its agents, each of which is sent the words of the others in the user's place. */
  #noteAgent(event: JsonObject): void {
    const agent = textOf(event['author']);
    this.#agent ??= agent;
    if (agent !== this.#agent)
      this.#recorder.notes.add('sidechain', `replies of the agent '${agent}' stay in the session that it shares`);
  }
}

/** Returns the parts of an event. Speech is logged as its transcription. */
function partsOf(event: JsonObject): readonly JsonObject[] {
  const parts = listOf(objectOf(event['content'])['parts']).map(objectOf);
  const spoken = objectOf(googleField(event, 'inputTranscription') ?? googleField(event, 'outputTranscription'));
  return parts.length > 0 || textOf(spoken['text']) === undefined ? parts : [spoken];
}

function isOwnCall(part: JsonObject): boolean {
  return ['functionCall', 'functionResponse'].some((name) => ownCalls.has(objectOf(googleField(part, name))['name']));
}

function usageOf(event: JsonObject): Usage | undefined {
  const counts = objectOf(googleField(event, 'usageMetadata'));
  const names = ['promptTokenCount', 'candidatesTokenCount', 'cachedContentTokenCount', 'thoughtsTokenCount'];
  return usageInAnyForm(Object.fromEntries(names.map((name) => [name, googleField(counts, name) ?? undefined])));
}
