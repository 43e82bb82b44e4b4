import type { Usage } from '@palimpsest/events';
import type { ReadMessage } from '@palimpsest/llm-adapters/wire';
import { objectOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { NoteTaker } from '../note-taker.js';
import { recordMessage } from '../record-message.js';
import type { RecordingPlace } from '../record-message.js';
import { SessionRecorder } from '../session-recorder.js';
import type { ConversationReader } from './conversations.js';

/** How the messages of one API are read. */
export interface MessageApi {
  readonly read: (message: unknown) => ReadMessage;
  readonly usage: (usage: unknown) => { readonly usage: Usage } | undefined;
}

/** Reads the messages of an API. Each message is one event or response. Programs keep raw responses in `extra`. */
export function messageReader(
  notes: NoteTaker,
  api: MessageApi,
  placeOf: (index: number, recorder: SessionRecorder, message: ReadMessage) => Partial<RecordingPlace> = () => ({}),
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
      const response = recordMessage(read, { ...placeOf(index, recorder, read), entry, recorder, notes });
      response?.count(entry, message['model'] ?? raw['model'], api.usage(message['usage'] ?? raw['usage'])?.usage);
    },
    finish: () => recorder.finish(),
  };
}
