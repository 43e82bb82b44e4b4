import type { Dirent } from 'node:fs';
import { isObject, listOf, objectOf, textOf } from './json.js';
import type { JsonObject } from './json.js';
import type { LogSource } from './session.js';

/**
 * One session of opencode: what `opencode export` prints. The reader of the storage folders and the reader of the database
 * build the same.
 */
export interface OpencodeDocument {
  readonly info: JsonObject;
  /** Messages of version 1 (`{ info, parts }`) or of version 2 (`{ type, … }`), in the order of the session. */
  readonly messages: readonly unknown[];
}

/** Returns true for a session as `opencode export` prints it, or for its list of messages alone. */
export function isExport(document: unknown): boolean {
  if (isObject(document)) return isSessionId(objectOf(document['info'])['id']) && Array.isArray(document['messages']);
  const info = objectOf(objectOf(listOf(document)[0])['info']);
  return isSessionId(info['sessionID']) && textOf(info['role']) !== undefined;
}

/** Returns true for the file that describes a session and stands apart from its messages. */
export function isSessionInfo(document: unknown): document is JsonObject {
  return isObject(document) && isSessionId(document['id']) && isObject(document['time']) && !('messages' in document);
}

/** Returns the document of an export. */
export function documentOf(value: unknown): OpencodeDocument {
  if (Array.isArray(value)) return { info: {}, messages: value };
  const { info, messages } = objectOf(value);
  return { info: objectOf(info), messages: listOf(messages) };
}

function isSessionId(id: unknown): boolean {
  return typeof id === 'string' && id.startsWith('ses');
}

/**
 * Returns the session that a file `session/<project>/<id>.json` of opencode's storage describes, with its messages from
 * `message/<session>/` and their parts from `part/<message>/`. The names of these files are in the order of time.
 */
export async function storedSession(source: LogSource, info: JsonObject): Promise<OpencodeDocument> {
  const messages: unknown[] = [];
  for (const message of await objectsIn(`../../message/${nameOf(info)}`, source)) {
    messages.push({ info: message, parts: await objectsIn(`../../part/${nameOf(message)}`, source) });
  }
  return { info, messages };
}

/** Returns the id as a file name. An id that is no file name cannot lead to another folder. */
function nameOf(object: JsonObject): string {
  const id = textOf(object['id']) ?? '';
  return /^[\w-]+$/.test(id) ? id : 'no-id';
}

/** Returns the objects in the JSON files of a folder; none if there is no such folder, as for a message without parts. */
async function objectsIn(folder: string, { neighbours, notes }: LogSource): Promise<readonly JsonObject[]> {
  const names = (await neighbours?.list(folder)) ?? [];
  const objects: JsonObject[] = [];
  for (const name of names.filter((each) => each.endsWith('.json')).sort()) {
    const text = await neighbours?.read(`${folder}/${name}`);
    if (text === undefined) continue;
    try {
      objects.push(objectOf(JSON.parse(text)));
    } catch {
      notes.add('not-json', `the file '${name}' is not JSON and was left out`);
    }
  }
  return objects;
}

/** Matches the name of opencode's database: `opencode.db`, or `opencode-<channel>.db`. */
const databaseName = /^opencode(?:-[\w.-]+)?\.db$/;

/** Returns true for the name of opencode's database. */
export function isDatabaseName(name: string): boolean {
  return databaseName.test(name);
}

/** The entries beside the database that hold no session of their own. */
const besideDatabase: ReadonlySet<string> = new Set([
  'auth.json',
  'bin',
  'log',
  'mcp-auth.json',
  'repos',
  'snapshot',
  'storage',
  'tool-output',
  'worktree',
]);

/**
 * Returns the entries of a folder that may hold sessions. Beside opencode's database its other files are left out, also
 * the storage folder, which the database has replaced. In a storage folder only `session` is listed: its files lead to
 * the others. Any other folder is returned unchanged.
 */
export function opencodeParts(entries: readonly Dirent[]): readonly Dirent[] {
  if (entries.some((entry) => isDatabaseName(entry.name)))
    return entries.filter((entry) => !besideDatabase.has(entry.name) && !/\.db-(?:wal|shm)$/.test(entry.name));
  const folders = new Set(entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name));
  if (folders.has('session') && folders.has('message') && folders.has('part'))
    return entries.filter((entry) => entry.name === 'session');
  return entries;
}

/** A message in the shape of version 1: what the reader takes. */
export interface OpencodeMessage {
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

/** Returns a message of version 1 as it is, a message of version 2 in the shape of version 1. */
export function asVersionOne(value: unknown): OpencodeMessage {
  const message = objectOf(value);
  if (isObject(message['info'])) {
    return { info: message['info'], parts: listOf(message['parts']).map(objectOf) };
  }
  const { type } = message;
  switch (type) {
    case 'user':
      return {
        info: { ...message, role: 'user' },
        parts: [textPart(message['text']), ...listOf(message['files']).map(filePart)],
      };
    case 'assistant':
      return { info: assistantInfo(message), parts: listOf(message['content']).map(objectOf).map(contentPart) };
    case 'system':
      return { info: { ...message, role: 'system' }, parts: [textPart(message['text'])] };
    case 'synthetic':
    case 'skill':
      return { info: { ...message, role: 'user' }, parts: [{ ...textPart(message['text']), synthetic: true }] };
    case 'shell':
      return { info: { ...message, role: 'user' }, parts: [{ ...textPart(shellText(message)), synthetic: true }] };
    case 'compaction':
      return { info: { ...message, role: 'user' }, parts: [{ ...message, type: 'compaction' }] };
    default:
      return { info: { ...message, role: type }, parts: [] };
  }
}

function assistantInfo(message: JsonObject): JsonObject {
  const model = objectOf(message['model']);
  return { ...message, role: 'assistant', modelID: model['id'], providerID: model['providerID'] };
}

function contentPart(part: JsonObject): JsonObject {
  if (part['type'] === 'tool')
    return { ...part, id: undefined, callID: part['id'], tool: part['name'], state: toolState(part) };
  if (part['type'] === 'reasoning')
    return { ...part, metadata: part['native'] ?? part['state'] ?? part['providerState'] };
  return part;
}

function toolState(part: JsonObject): JsonObject {
  const state = objectOf(part['state']);
  const content = listOf(state['content']).map(objectOf);
  const texts = content.flatMap((item) => textOf(item['text']) ?? []);
  const attachments = content.filter((item) => item['type'] === 'file').map(filePart);
  const output = texts.length === 0 ? {} : { output: texts.join('\n') };
  return { ...state, ...output, attachments, time: { end: objectOf(part['time'])['completed'] } };
}

function textPart(text: unknown): JsonObject {
  return { type: 'text', text };
}

function filePart(value: unknown): JsonObject {
  const file = objectOf(value);
  return { type: 'file', mime: file['mime'], url: file['uri'] ?? file['url'], filename: file['name'] };
}

/** Describes a command that the user ran. The model did not call it, but is told of it. */
function shellText(message: JsonObject): string {
  const { command, output, exit } = message;
  const text =
    textOf(output) ?? textOf(objectOf(output)['text']) ?? textOf(objectOf(output)['output']) ?? '(no output)';
  const status = typeof exit === 'number' && exit !== 0 ? `\nexit code ${exit}` : '';
  return `The user ran: ${String(command)}\n${text}${status}`;
}
