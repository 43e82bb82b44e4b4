import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import { fencedCommand, TextModeTurns } from './text-mode-turns.js';

/** SWE-agent runs in text mode, in the form of one data set: `{ trajectory: [{ role: system | ai | user, text }] }`. */
export const nebiusTraj: LogFormat = {
  name: 'nebius-traj',

  recognise: ({ document }) =>
    isObject(document) &&
    listOf(document['trajectory']).some((turn) => isObject(turn) && turn['role'] === 'ai' && 'text' in turn),

  read: readNebius,
};

async function* readNebius(source: LogSource): AsyncGenerator<ImportedSession> {
  const turns = new TextModeTurns(source.notes);
  for (const [index, value] of listOf(objectOf(source.document)['trajectory']).entries()) {
    const turn = objectOf(value);
    const entry = { id: `message-${index}` };
    const text = textOf(turn['text']) ?? textOf(turn['system_prompt']) ?? '';
    turns.read(entry, { role: turn['role'], text }, (said) => fencedCommand(said, 'shell'));
  }
  yield { name: source.name, events: turns.finish() };
}
