import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { NoteTaker } from '../note-taker.js';
import type { OpencodeDocument } from './document.js';

/**
 * The session that a file `session/<project>/<id>.json` of opencode's storage describes, with its messages from
 * `message/<session>/` and their parts from `part/<message>/`. The names of these files are in the order of time.
 */
export async function storedSession(file: string, info: JsonObject, notes: NoteTaker): Promise<OpencodeDocument> {
  const storage = dirname(dirname(dirname(file)));
  const messages: unknown[] = [];
  for (const message of await objectsIn(join(storage, 'message', nameOf(info)), notes)) {
    messages.push({ info: message, parts: await objectsIn(join(storage, 'part', nameOf(message)), notes) });
  }
  return { info, messages };
}

/** The id as a file name. An id that is no file name cannot lead to another folder. */
function nameOf(object: JsonObject): string {
  const id = textOf(object['id']) ?? '';
  return /^[\w-]+$/.test(id) ? id : 'no-id';
}

async function objectsIn(folder: string, notes: NoteTaker): Promise<readonly JsonObject[]> {
  const objects: JsonObject[] = [];
  for (const name of await filesIn(folder)) {
    try {
      objects.push(objectOf(JSON.parse(await readFile(join(folder, name), 'utf8'))));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      notes.add('not-json', `the file '${name}' is not JSON and was left out`);
    }
  }
  return objects;
}

/** The names of the JSON files; none if there is no such folder, as for a message without parts. */
async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (objectOf(error)['code'] === 'ENOENT') return [];
    throw error;
  }
}
