import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isObject, objectOf } from './json.js';
import type { JsonObject } from './json.js';
import type { NoteTaker } from './session.js';

/** The file of a conversation's state. The events stand beside it, in the folder `events`. */
const stateFile = 'base_state.json';
const eventsFolder = 'events';

/** Matches the file of one event: `event-00012-<id>.json`, in the archives of the web application `event_000012_<id>.json`. */
const eventFile = /^event[-_](\d+)[-_].*\.json$/;

/** A conversation as the OpenHands SDK keeps it: a state, and events in files of their own. */
export interface OpenHandsConversation {
  readonly state: JsonObject;
  readonly events: readonly JsonObject[];
}

/** Returns true for the state of a conversation. */
export function isOpenHandsState(document: unknown): document is JsonObject {
  if (!isObject(document) || !isObject(document['agent']) || Array.isArray(document['events'])) return false;
  return isObject(document['stats']) || 'execution_status' in document || 'agent_status' in document;
}

/** Returns the conversation of a file: its state, or one of its events. A file that is not JSON is noted and left out. */
export async function storedConversation(
  file: string,
  document: JsonObject,
  notes: NoteTaker,
): Promise<OpenHandsConversation> {
  if (isOpenHandsState(document)) {
    return { state: document, events: await eventsIn(join(dirname(file), eventsFolder), notes) };
  }
  const folder = dirname(file);
  const isNamed = eventFile.test(basename(file));
  const state = basename(folder) === eventsFolder ? await jsonIn(join(dirname(folder), stateFile), notes) : undefined;
  return { state: objectOf(state), events: isNamed ? await eventsIn(folder, notes) : [document] };
}

async function eventsIn(folder: string, notes: NoteTaker): Promise<readonly JsonObject[]> {
  const names = (await entriesOf(folder)).filter((entry) => entry.isFile() && eventFile.test(entry.name));
  const inOrder = names.map(({ name }) => name).sort((one, other) => numberIn(one) - numberIn(other));
  const events: JsonObject[] = [];
  for (const name of inOrder) {
    const event = await jsonIn(join(folder, name), notes);
    if (isObject(event)) events.push(event);
  }
  return events;
}

function numberIn(name: string): number {
  return Number(eventFile.exec(name)?.[1]);
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: unknown) => noneIfMissing(error, []));
}

async function jsonIn(file: string, notes: NoteTaker): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) return noneIfMissing(error, undefined);
    notes.add('not-json', `the file '${basename(file)}' is not JSON and was left out`);
    return undefined;
  }
}

function noneIfMissing<Value>(error: unknown, none: Value): Value {
  if (objectOf(error)['code'] === 'ENOENT') return none;
  throw error;
}

/**
 * Returns the entries of a folder that may hold sessions. Of a conversation only its state is listed, which leads to the
 * events; of events without a state only the first one. Any other folder is returned unchanged.
 */
export function openHandsParts(entries: readonly Dirent[]): readonly Dirent[] {
  const isState = (entry: Dirent): boolean => entry.name === stateFile && !entry.isDirectory();
  if (entries.some(isState)) {
    return entries.filter((entry) => isState(entry) || (entry.isDirectory() && entry.name !== eventsFolder));
  }
  const events = entries.filter((entry) => !entry.isDirectory() && eventFile.test(entry.name));
  if (events.length === 0) return entries;
  const first = events.reduce((one, other) => (numberIn(other.name) < numberIn(one.name) ? other : one));
  return entries.filter((entry) => entry === first || entry.isDirectory());
}
