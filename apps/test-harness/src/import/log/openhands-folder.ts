import type { Dirent } from 'node:fs';
import { isObject, objectOf } from './json.js';
import type { JsonObject } from './json.js';
import type { LogSource } from './session.js';

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
export async function storedConversation(source: LogSource, document: JsonObject): Promise<OpenHandsConversation> {
  if (isOpenHandsState(document)) return { state: document, events: await eventsIn(eventsFolder, source) };
  const [name = '', folder] = source.file.split(/[\\/]/).reverse();
  const state = folder === eventsFolder ? await jsonIn(`../${stateFile}`, source) : undefined;
  return { state: objectOf(state), events: eventFile.test(name) ? await eventsIn('.', source) : [document] };
}

async function eventsIn(folder: string, source: LogSource): Promise<readonly JsonObject[]> {
  const names = (await source.neighbours?.list(folder)) ?? [];
  const inOrder = names.filter((name) => eventFile.test(name)).sort((one, other) => numberIn(one) - numberIn(other));
  const events: JsonObject[] = [];
  for (const name of inOrder) {
    const event = await jsonIn(`${folder}/${name}`, source);
    if (isObject(event)) events.push(event);
  }
  return events;
}

function numberIn(name: string): number {
  return Number(eventFile.exec(name)?.[1]);
}

async function jsonIn(path: string, { neighbours, notes }: LogSource): Promise<unknown> {
  const text = await neighbours?.read(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    notes.add('not-json', `the file '${path.split('/').at(-1)}' is not JSON and was left out`);
    return undefined;
  }
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
