import { readChatMessage, usageInAnyForm } from '@palimpsest/llm-adapters/wire';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { addThinking, chatFields, langChainMessage } from '../log/langchain-message.js';
import type { LangChainMessage } from '../log/langchain-message.js';
import { SessionRecorder } from '../log/recorder.js';
import type { ImportedSession, LogFormat, LogSource, NoteTaker } from '../log/session.js';
import { conversationsIn, isChatMessage, readConversations } from './messages.js';
import type { ConversationReader } from './messages.js';

/**
 * Messages of LangChain: what `dumps` writes (`lc: 1`), stored histories (`{ type, data }`) and plain fields with a `type`, as
 * a list, under `messages`, or on lines; and the state of LangGraph: threads and snapshots (`values.messages`), checkpoints
 * (`channel_values.messages`), and the history of a thread. Each state repeats the messages of the one before it: a message
 * is read once, by its id.
 *
 * @see https://docs.langchain.com/oss/javascript/langgraph/persistence
 */
export const langChain: LogFormat = {
  name: 'langchain',
  recognise: ({ head }) =>
    head.some((value) => isOwnMessage(value) || holdsOwnMessage(messagesOf(value)) || statesIn(value).length > 0),
  read: readLangChain,
};

async function* readLangChain(source: LogSource): AsyncGenerator<ImportedSession> {
  const { document, notes } = source;
  const states: JsonObject[] = [];
  if (document !== undefined) states.push(...statesIn(document));
  else for await (const { value } of source.records()) states.push(...statesIn(value));
  if (states.length === 0) {
    yield* readConversations(withMessages(source), isMessage, () => new MessageReader(notes));
    return;
  }
  const threads = new Set(states.map(threadOf));
  for (const thread of threads) {
    const name = threads.size === 1 ? source.name : `${source.name}#${thread}`;
    const ofThread = states.filter((state) => threadOf(state) === thread);
    yield { name, events: readStates(ofThread, notes) };
  }
}

/** True for a message in one of LangChain's own forms, which no other format has. */
function isOwnMessage(value: unknown): boolean {
  const message = langChainMessage(value);
  if (message === undefined) return false;
  const { type, data } = objectOf(value);
  // A `system` or a `tool` alone is a type that other logs have.
  return type === 'constructor' || isObject(data) || ['ai', 'human', 'AIMessageChunk'].includes(String(type));
}

/** In a state, messages can have the form of Chat Completions too. */
function isMessage(value: unknown): value is JsonObject {
  return langChainMessage(value) !== undefined || isChatMessage(value);
}

function holdsOwnMessage(value: unknown): boolean {
  return conversationsIn(value, isMessage).some(({ messages }) => messages.some(isOwnMessage));
}

/**
 * Returns what holds the messages of a value: the fields of a constructor object, such as a prompt, and of a batch of one
 * list this list. Any other value is returned unchanged.
 */
function messagesOf(value: unknown): unknown {
  const { lc, kwargs } = objectOf(value);
  const holder = lc !== undefined && Array.isArray(objectOf(kwargs)['messages']) ? kwargs : value;
  const [only, ...others] = listOf(objectOf(holder)['messages']);
  return Array.isArray(only) && others.length === 0 ? { ...objectOf(holder), messages: only } : holder;
}

function withMessages(source: LogSource): LogSource {
  return {
    ...source,
    records: async function* (options) {
      for await (const record of source.records(options)) yield { ...record, value: messagesOf(record.value) };
    },
  };
}

/** Returns the states in a value: one, or a list of them. */
function statesIn(value: unknown): readonly JsonObject[] {
  const list = Array.isArray(value) ? value : [value];
  const states = list.filter((state): state is JsonObject => isObject(state) && messagesIn(state).some(isOwnMessage));
  return states.length * 2 > list.length ? states : [];
}

function messagesIn(state: JsonObject): readonly unknown[] {
  const checkpoint = isObject(state['checkpoint']) ? state['checkpoint'] : state;
  const values = objectOf(state['values'] ?? checkpoint['channel_values']);
  return listOf(values['messages']);
}

/** A graph inside of another has a namespace in the same thread, and messages of its own. */
function threadOf(state: JsonObject): string {
  const configurable = objectOf(objectOf(state['config'])['configurable']);
  const places = [state, configurable, objectOf(state['checkpoint']), objectOf(state['metadata'])];
  const first = (key: string): string | undefined => places.flatMap((place) => textOf(place[key]) ?? []).at(0);
  return [first('thread_id') ?? 'thread', first('checkpoint_ns')].filter((part) => part !== undefined).join('/');
}

function timeOf(state: JsonObject): string {
  const place = [state['created_at'], state['createdAt'], state['updated_at'], state['ts']];
  return [...place, objectOf(state['checkpoint'])['ts']].flatMap((time) => textOf(time) ?? []).at(0) ?? '';
}

/** Reads the states of one thread, the oldest first. A message that a later state lacks was removed from the context. */
function readStates(states: readonly JsonObject[], notes: NoteTaker): ImportedSession['events'] {
  const reader = new MessageReader(notes);
  // The API lists the newest first; a sort that is stable keeps that order where the states have no times.
  const inOrder = [...states]
    .reverse()
    .sort((one, other) => (timeOf(one) < timeOf(other) ? -1 : timeOf(one) > timeOf(other) ? 1 : 0));
  const hasIds = inOrder.every((state) => messagesIn(state).every((message) => idOf(message) !== undefined));
  const known = new Set<string>();
  let [before, index]: [ReadonlySet<string>, number] = [new Set(), 0];
  for (const state of hasIds ? inOrder : inOrder.slice(-1)) {
    const messages = messagesIn(state);
    const timestamp = timeOf(state);
    const ids = new Set(messages.map((message) => idOf(message) ?? ''));
    const isRemoved = [...before].some((id) => !ids.has(id));
    if (isRemoved && objectOf(state['metadata'])['source'] === 'fork')
      notes.add('branch', 'the thread was forked; what was left behind stays, in the order of the log');
    else if (isRemoved) reader.compaction(index, timestamp);
    for (const message of messages) {
      const id = idOf(message);
      if (id !== undefined && known.has(id)) continue;
      if (id !== undefined) known.add(id);
      if (isMessage(message)) reader.read({ timestamp, ...message }, { index: index++ });
      else notes.unknown('values that are no message');
    }
    before = ids;
  }
  return reader.finish();
}

function idOf(message: unknown): string | undefined {
  return textOf((langChainMessage(message)?.fields ?? objectOf(message))['id']);
}

class MessageReader implements ConversationReader {
  readonly #recorder: SessionRecorder;

  constructor(notes: NoteTaker) {
    this.#recorder = new SessionRecorder(notes);
  }

  finish(): ImportedSession['events'] {
    return this.#recorder.finish();
  }

  compaction(index: number, timestamp: string): void {
    this.#recorder.compaction({ id: `removed-before-${index}`, timestamp }, {});
  }

  read(value: JsonObject, { index, line }: Parameters<ConversationReader['read']>[1]): void {
    const own = langChainMessage(value);
    const message: LangChainMessage = own ?? { role: textOf(value['role']), fields: value };
    const { role, fields } = message;
    const place = line === undefined ? `message-${index}` : `line-${line}`;
    const entry = { id: textOf(fields['id']) ?? place, line, timestamp: value['timestamp'] };
    if (own !== undefined && role === undefined) {
      this.#recorder.notes.add('skipped-line', 'a message that removes another one from the state', line);
      return;
    }
    const read = readChatMessage(own === undefined ? fields : chatFields(message));
    if (role !== 'assistant') {
      this.#recorder.record(entry, read);
      return;
    }
    const metadata = objectOf(fields['response_metadata']);
    const response = this.#recorder.response(entry, textOf(metadata['id']));
    addThinking(response, fields['content']);
    this.#recorder.record(entry, read, { response });
    const usage = fields['usage_metadata'] ?? metadata['token_usage'] ?? metadata['tokenUsage'] ?? metadata['usage'];
    response.count(entry, metadata['model_name'] ?? metadata['model'], usageInAnyForm(usage));
  }
}
