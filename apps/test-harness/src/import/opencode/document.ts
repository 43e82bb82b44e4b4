import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';

/**
 * One session of opencode: what `opencode export` prints. The reader of the storage folders and the reader of the database
 * build the same.
 */
export interface OpencodeDocument {
  readonly info: JsonObject;
  /** Messages of version 1 (`{ info, parts }`) or of version 2 (`{ type, … }`), in the order of the session. */
  readonly messages: readonly unknown[];
}

/** True for a session as `opencode export` prints it, or for its list of messages alone. */
export function isExport(document: unknown): boolean {
  if (isObject(document)) return isSessionId(objectOf(document['info'])['id']) && Array.isArray(document['messages']);
  const info = objectOf(objectOf(listOf(document)[0])['info']);
  return isSessionId(info['sessionID']) && textOf(info['role']) !== undefined;
}

/** True for the file that describes a session and stands apart from its messages. */
export function isSessionInfo(document: unknown): document is JsonObject {
  return isObject(document) && isSessionId(document['id']) && isObject(document['time']) && !('messages' in document);
}

/** The document of an export. */
export function documentOf(value: unknown): OpencodeDocument {
  if (Array.isArray(value)) return { info: {}, messages: value };
  const { info, messages } = objectOf(value);
  return { info: objectOf(info), messages: listOf(messages) };
}

function isSessionId(id: unknown): boolean {
  return typeof id === 'string' && id.startsWith('ses');
}
