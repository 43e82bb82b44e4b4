import { usageInAnyForm } from '@palimpsest/llm-adapters/wire';
import { GeminiContents } from '../log/gemini-contents.js';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { plainText, singleSession } from '../log/recorder.js';
import type { SessionRecorder } from '../log/recorder.js';
import type { Entry, LogSource } from '../log/session.js';

/** Matches the start of a user message that the program wrote. */
const programText = /^\s*(?:<session_context>|<hook_context>|This is the Gemini CLI\.)/;

/**
 * Sessions of Gemini CLI: its recordings (`chats/session-*.json` and, of later versions, `.jsonl`), its checkpoints
 * (`checkpoint-<tag>.json`, and those of `checkpoints/`), and lists of Gemini contents. Neither the system prompt nor the
 * tools are in them. A recorded call and its result are one object.
 *
 * @see https://github.com/google-gemini/gemini-cli `packages/core/src/services/chatRecordingTypes.ts`,
 * `chatRecordingService.ts` and `packages/core/src/core/logger.ts`
 */
export const geminiCli = singleSession(
  'gemini-cli',
  ({ head, document }) => contentsIn(document).length > 0 || head.some((value) => isRecording(value) || isReply(value)),
  async (recorder, source) => {
    const contents = contentsIn(source.document);
    if (contents.length > 0) readContents(recorder, contents);
    else readRecords(recorder, await recordsOf(source));
  },
);

/** Returns true for a recording, or for its first line. */
function isRecording(value: unknown): value is JsonObject {
  return isObject(value) && textOf(value['sessionId']) !== undefined && textOf(value['projectHash']) !== undefined;
}

function isReply(value: unknown): boolean {
  return isObject(value) && value['type'] === 'gemini' && textOf(value['id']) !== undefined;
}

/** Returns the contents of a checkpoint. In `checkpoints/`, `history` is for the screen. */
function contentsIn(document: unknown): readonly JsonObject[] {
  const { clientHistory, history } = objectOf(document);
  const list = listOf(Array.isArray(document) ? document : (clientHistory ?? history));
  const contents = list.filter(isContent);
  return contents.length * 2 > list.length ? contents : [];
}

function isContent(value: unknown): value is JsonObject {
  if (!isObject(value) || (value['role'] !== 'user' && value['role'] !== 'model')) return false;
  const parts = listOf(value['parts']);
  return parts.length > 0 && parts.every((part) => isObject(part) && part['type'] === undefined);
}

function readContents(recorder: SessionRecorder, contents: readonly JsonObject[]): void {
  const reader = new GeminiContents(recorder);
  for (const [index, content] of contents.entries()) {
    const entry: Entry = { id: `content-${index}` };
    const parts = partsOf(content['parts']);
    if (content['role'] === 'model') reader.answer(recorder.response(entry), entry, parts);
    else reader.user(entry, parts, sourceOf);
  }
}

/** A message of a recording, or the place where the program replaced its history by a summary. */
type RecordedItem =
  | { message: JsonObject; readonly line: number | undefined }
  | { readonly summary: string; readonly line: number | undefined };

/** Returns the messages of a recording. A line with the id of an earlier message is its later state. */
async function recordsOf(source: LogSource): Promise<readonly RecordedItem[]> {
  const { notes, document } = source;
  const items: RecordedItem[] = [];
  const byId = new Map<string, { message: JsonObject }>();
  const add = (message: JsonObject, at: number): void => {
    const id = textOf(message['id']);
    const known = byId.get(id ?? '');
    if (known !== undefined) {
      known.message = message;
      return;
    }
    const item = { message, line: document === undefined ? at : undefined };
    items.push(item);
    if (id !== undefined) byId.set(id, item);
  };
  for await (const { value, line } of source.records()) {
    const record = objectOf(value);
    const replaced = objectOf(record['$set'])['messages'];
    if (Array.isArray(replaced)) {
      const messages = replaced.map(objectOf);
      const kept = messages.filter((message) => byId.has(textOf(message['id']) ?? ''));
      const added = messages.filter((message) => !kept.includes(message));
      // Messages that are kept may be shortened here. The whole ones are the history.
      if (kept.length < byId.size) items.push({ summary: plainText(added[0]?.['content']), line });
      else for (const message of added) add(message, line);
    } else if (record['$rewindTo'] !== undefined) {
      notes.add('branch', 'the session was rewound; what was undone stays, in the order of the log', line);
    } else if (isRecording(record) || isObject(record['$set'])) {
      for (const message of listOf(record['messages'])) add(objectOf(message), line);
      if (document === undefined) notes.add('skipped-line', 'a line about the session', line);
    } else if (textOf(record['type']) !== undefined) {
      add(record, line);
    } else notes.unknown('lines that are no message', line);
  }
  return items;
}

function readRecords(recorder: SessionRecorder, items: readonly RecordedItem[]): void {
  const contents = new GeminiContents(recorder);
  for (const [index, item] of items.entries()) {
    if ('summary' in item) {
      recorder.compaction({ id: `compaction-${index}`, line: item.line }, { summary: item.summary });
      continue;
    }
    const { message, line } = item;
    const entry: Entry = { id: textOf(message['id']) ?? `message-${index}`, line, timestamp: message['timestamp'] };
    const parts = partsOf(message['content']).filter((part) => !contents.isKnown(part));
    switch (message['type']) {
      case 'user':
        if (parts.length > 0) contents.user(entry, parts, sourceOf);
        break;
      case 'gemini':
        readReply(recorder, contents, message, parts, entry);
        break;
      case 'error':
        recorder.internal(entry, {
          type: 'conversation-error',
          code: 'recorded-error',
          detail: plainText(message['content']),
        });
        break;
      case 'info':
      case 'warning':
        recorder.notes.add('skipped-line', `messages of type '${message['type']}' are for the screen`, line);
        break;
      default:
        recorder.notes.unknown(`messages of type '${String(message['type'])}'`, line);
    }
  }
}

function readReply(
  recorder: SessionRecorder,
  contents: GeminiContents,
  message: JsonObject,
  parts: readonly JsonObject[],
  entry: Entry,
): void {
  const response = recorder.response(entry);
  for (const thought of listOf(message['thoughts']).map(objectOf)) {
    const words = [thought['subject'], thought['description']].flatMap((text) => textOf(text) ?? []);
    if (words.length > 0) response.add({ type: 'reasoning-text', text: `${words.join('\n')}\n` });
  }
  const calls = listOf(message['toolCalls']).map(objectOf);
  contents.answer(
    response,
    entry,
    calls.length === 0 ? parts : parts.filter((part) => !isObject(part['functionCall'])),
  );
  const ids = calls.map((call) => contents.call(response, entry, call));
  response.count(entry, message['model'], usageOf(objectOf(message['tokens'])));
  for (const [index, call] of calls.entries()) {
    const result = partsOf(call['result']);
    if (result.length === 0) continue;
    const id = ids[index] ?? '';
    const place: Entry = { ...entry, id: `${id}-result`, timestamp: call['timestamp'] };
    const answer = objectOf(result.find((part) => isObject(part['functionResponse']))?.['functionResponse']);
    const others = result.filter((part) => part['functionResponse'] === undefined);
    const isError = call['status'] === 'error' || call['status'] === 'cancelled';
    contents.result(
      place,
      { response: others.length > 0 ? '' : null, ...answer, id, name: call['name'] },
      { parts: others, isError },
    );
  }
}

function usageOf(tokens: JsonObject): ReturnType<typeof usageInAnyForm> {
  return usageInAnyForm({
    promptTokenCount: tokens['input'],
    candidatesTokenCount: tokens['output'],
    cachedContentTokenCount: tokens['cached'],
    thoughtsTokenCount: tokens['thoughts'],
  });
}

function sourceOf(text: string): 'user' | 'environment' {
  return programText.test(text) ? 'environment' : 'user';
}

/** A content is a text, a part, or a list of both. */
function partsOf(content: unknown): readonly JsonObject[] {
  if (content === undefined || content === null || content === '') return [];
  return (Array.isArray(content) ? content : [content]).map((part: unknown) =>
    typeof part === 'string' ? { text: part } : objectOf(part),
  );
}
