import type { Usage } from '@palimpsest/events';
import {
  anthropicUsage,
  openaiUsage,
  readAnthropicMessage,
  readAnthropicSystem,
  readChatMessage,
} from '@palimpsest/llm-adapters/wire';
import type { ReadMessage } from '@palimpsest/llm-adapters/wire';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { SessionRecorder, toolDefinitions } from '../log/recorder.js';
import type { RecordingOptions } from '../log/recorder.js';
import type { Entry, ImportedSession, LogFormat, LogSource, NoteTaker } from '../log/session.js';

/** Matches the start of a result that an agent without native tools sends as a user message. */
const observationText = /^\s*(?:OBSERVATION:|Observation:|EXECUTION RESULT of \[|<returncode>|<tool_response>)/;

/**
 * OpenAI Chat Completions messages: a list of them, `{ messages, tools? }`, tau-bench's `{ traj }`, lists of these, and JSON
 * Lines of messages or of any of these. A user message counts as written by the user unless it begins like a result.
 */
export const openAIChat: LogFormat = {
  name: 'openai-chat',

  recognise: ({ document, head }) =>
    document === undefined
      ? head.filter(isChatMessage).length * 2 > head.length ||
        head.some((value) => conversationsIn(value, isChatMessage).length > 0)
      : isChatMessage(document) || conversationsIn(document, isChatMessage).length > 0,

  read: (source) => readConversations(source, isChatMessage, (beside) => openChat(beside, source.notes)),
};

const chatApi = { read: readChatMessage, usage: openaiUsage };

function sourceOf(text: string): 'user' | 'environment' {
  return observationText.test(text) ? 'environment' : 'user';
}

function openChat(beside: JsonObject, notes: NoteTaker): ConversationReader {
  const tools = toolDefinitions(beside['tools'] ?? beside['functions'], notes);
  return messageReader(notes, chatApi, (index, recorder, { role }) => {
    if (index > 0) return { sourceOf };
    // Tools are part of the system prompt event. If the log has tools but no prompt, the event has an empty prompt.
    if (role !== 'system' && tools.length > 0) recorder.systemPrompt({ id: 'message-0-tools' }, '', tools);
    return { sourceOf, tools };
  });
}

/** The blocks that only an Anthropic message holds. */
const ownBlocks: ReadonlySet<unknown> = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking']);

/**
 * Anthropic Messages: a list of messages with content blocks, `{ system?, messages, tools? }`, lists of these, and JSON
 * Lines of either. The content blocks identify the format; a conversation with only plain text is read as `openai-chat`.
 */
export const anthropicMessages: LogFormat = {
  name: 'anthropic-messages',

  recognise: ({ document, head }) =>
    document === undefined
      ? head.some(hasOwnBlock) || head.some((value) => conversationsWithBlocks(value).length > 0)
      : conversationsWithBlocks(document).length > 0,

  read: (source) => readConversations(source, isAnthropicMessage, (beside) => openSession(beside, source.notes)),
};

const anthropicApi = { read: readAnthropicMessage, usage: anthropicUsage };

function openSession(beside: JsonObject, notes: NoteTaker): ConversationReader {
  const reader = messageReader(notes, anthropicApi);
  const { systemPrompt, dynamicContext } = readAnthropicSystem(beside['system']);
  const tools = toolDefinitions(beside['tools'], notes);
  if (systemPrompt !== '' || tools.length > 0)
    reader.recorder.systemPrompt({ id: 'system' }, systemPrompt, tools, dynamicContext);
  return reader;
}

function isAnthropicMessage(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    (value['role'] === 'user' || value['role'] === 'assistant' || value['role'] === 'system') &&
    'content' in value &&
    !Array.isArray(value['tool_calls'])
  );
}

function hasOwnBlock(message: unknown): boolean {
  return (
    isAnthropicMessage(message) && listOf(message['content']).some((block) => ownBlocks.has(objectOf(block)['type']))
  );
}

function conversationsWithBlocks(value: unknown): readonly FoundConversation[] {
  return conversationsIn(value, isAnthropicMessage).filter(({ messages }) => listOf(messages).some(hasOwnBlock));
}

/**
 * Runs of tau2-bench: `{ info, simulation }` or `{ info, simulations }`. The tools of the simulated user are left out because
 * the agent never sees them. The policy of the domain is the system prompt.
 */
export const tau2: LogFormat = {
  name: 'tau2',
  recognise: ({ document }) =>
    isObject(document) && simulationsOf(document).some((run) => Array.isArray(run['messages'])),
  read: readTau2,
};

async function* readTau2(source: LogSource): AsyncGenerator<ImportedSession> {
  const document = objectOf(source.document);
  const runs = simulationsOf(document);
  const info = objectOf(document['info']);
  const model = textOf(objectOf(info['agent_info'])['llm']) ?? 'unknown';
  for (const [index, run] of runs.entries()) {
    const recorder = new SessionRecorder(source.notes);
    const environment = objectOf(info['environment_info']);
    const policy = textOf(environment['policy']) ?? '';
    const tools = toolDefinitions(environment['tool_defs'], source.notes);
    if (policy !== '' || tools.length > 0)
      recorder.systemPrompt({ id: 'policy', timestamp: run['start_time'] }, policy, tools);
    for (const [position, message] of listOf(run['messages']).entries()) {
      const fields = objectOf(message);
      readSimulated(fields, { id: `message-${position}`, timestamp: fields['timestamp'] }, recorder, model);
    }
    yield {
      name: conversationName(source.name, { name: textOf(run['id']) }, index, runs.length === 1),
      events: recorder.finish(),
    };
  }
}

function readSimulated(message: JsonObject, entry: Entry, recorder: SessionRecorder, model: string): void {
  if (message['role'] === 'tool' && message['requestor'] === 'user') {
    recorder.notes.add('skipped-line', "the results of the simulated user's own calls are not seen by the agent");
    return;
  }
  if (message['role'] === 'user' && listOf(message['tool_calls']).length > 0) {
    recorder.notes.add('skipped-line', "the simulated user's own calls are not seen by the agent");
    if (textOf(message['content']) === undefined) return;
  }
  // The id of a result is the id of its call.
  const result = { ...message, tool_call_id: message['id'], is_error: message['error'] === true };
  const read = readChatMessage(message['role'] === 'tool' ? result : message);
  const response = recorder.record(entry, read);
  response?.count(entry, model, openaiUsage(message['usage'])?.usage);
}

function simulationsOf(document: JsonObject): readonly JsonObject[] {
  const runs = Array.isArray(document['simulations']) ? document['simulations'] : [document['simulation']];
  return runs.filter(isObject);
}

/** The reader of the messages of one API. */
export interface MessageApi {
  readonly read: (message: unknown) => ReadMessage;
  readonly usage: (usage: unknown) => { readonly usage: Usage } | undefined;
}

/** Reads the messages of an API. Each message is one event or response. Programs keep raw responses in `extra`. */
export function messageReader(
  notes: NoteTaker,
  api: MessageApi,
  optionsOf: (index: number, recorder: SessionRecorder, message: ReadMessage) => RecordingOptions = () => ({}),
): ConversationReader & { readonly recorder: SessionRecorder } {
  const recorder = new SessionRecorder(notes);
  return {
    recorder,
    read: (message: JsonObject, { index, line }) => {
      const extra = objectOf(message['extra']);
      const raw = objectOf(extra['response']);
      const timestamp = message['timestamp'] ?? extra['timestamp'];
      const entry = { id: line === undefined ? `message-${index}` : `line-${line}`, line, timestamp };
      const read = api.read(message);
      const response = recorder.record(entry, read, optionsOf(index, recorder, read));
      response?.count(entry, message['model'] ?? raw['model'], api.usage(message['usage'] ?? raw['usage'])?.usage);
    },
    finish: () => recorder.finish(),
  };
}

/** A list of messages found in a log, with the other fields of its object. */
export interface FoundConversation {
  readonly messages: readonly unknown[];
  /** The object that holds the list; empty if the list has no such object. */
  readonly beside: JsonObject;
  readonly name: string | undefined;
}

/** Common keys for a list of messages. */
const messageKeys = ['messages', 'traj', 'conversation', 'input'] as const;

/** Keys that name one of several conversations, the most specific first. */
const nameKeys = ['instance_id', 'traj_id', 'conversation_id', 'session_id', 'task_id', 'id'] as const;

/** Lists in lists, as deep as a log has them. A damaged file may be deeper than the stack. */
const deepestList = 8;

/**
 * Returns the lists of messages in a value: the value itself, an object that holds a list, or a list of such objects or
 * lists. Empty for any other value.
 */
export function conversationsIn(
  value: unknown,
  isMessage: (value: unknown) => boolean,
  depth = 0,
): readonly FoundConversation[] {
  if (depth > deepestList) return [];
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isMessage)) return [{ messages: value, beside: {}, name: undefined }];
    const found = value.map((item) =>
      Array.isArray(item) || isObject(item) ? conversationsIn(item, isMessage, depth + 1) : [],
    );
    return value.length > 0 && found.every((conversations) => conversations.length === 1) ? found.flat() : [];
  }
  if (!isObject(value)) return [];
  for (const key of messageKeys) {
    const messages = value[key];
    // A damaged message does not hide the other messages.
    if (Array.isArray(messages) && messages.length > 0 && messages.filter(isMessage).length * 2 > messages.length) {
      return [{ messages, beside: value, name: nameOf(value) }];
    }
  }
  return [];
}

/** A reader of the messages of one conversation. */
export interface ConversationReader {
  /** `index` is the position in a list. A message on a line of its own has `line` instead. */
  read(message: JsonObject, place: { readonly index: number; readonly line?: number | undefined }): void;
  finish(): ImportedSession['events'];
}

/**
 * Returns the sessions of a log of messages: one for each list, and one for all messages on lines of their own. `open`
 * receives the object that holds the list.
 */
export async function* readConversations(
  source: LogSource,
  isMessage: (value: unknown) => value is JsonObject,
  open: (beside: JsonObject) => ConversationReader,
): AsyncGenerator<ImportedSession> {
  const { document, notes } = source;
  let onLines: ConversationReader | undefined;
  let lines = 0;
  let sessions = 0;
  for await (const { value, line } of source.records()) {
    if (isMessage(value)) {
      onLines ??= open({});
      onLines.read(value, { index: lines++, line: document === undefined ? line : undefined });
      continue;
    }
    const found = conversationsIn(value, isMessage);
    if (found.length === 0) notes.add('unknown-line-type', 'a line with no messages was left out', line);
    for (const conversation of found) {
      const reader = open(conversation.beside);
      for (const [index, message] of conversation.messages.entries()) {
        if (isObject(message)) reader.read(message, { index });
        else notes.add('unknown-line-type', 'something that is no message was left out', line);
      }
      const isOnly = document !== undefined && found.length === 1;
      yield { name: conversationName(source.name, conversation, sessions++, isOnly), events: reader.finish() };
    }
  }
  if (onLines !== undefined) yield { name: source.name, events: onLines.finish() };
}

/** Returns the name of a session: the name of the file and, if the file has several sessions, what distinguishes this one. */
function conversationName(
  file: string,
  { name }: Pick<FoundConversation, 'name'>,
  index: number,
  isOnly: boolean,
): string {
  return isOnly ? file : `${file}#${name ?? index + 1}`;
}

function nameOf(value: JsonObject): string | undefined {
  const key = nameKeys.find((name) => textOf(value[name]) !== undefined || typeof value[name] === 'number');
  if (key === undefined) return undefined;
  // tau-bench runs a task several times.
  const trial = typeof value['trial'] === 'number' ? `.${value['trial']}` : '';
  return `${String(value[key])}${trial}`;
}

const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Returns true for a message of the OpenAI Chat Completions API. */
export function isChatMessage(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    roles.has(value['role']) &&
    ('content' in value || 'tool_calls' in value || 'function_call' in value || 'refusal' in value)
  );
}
