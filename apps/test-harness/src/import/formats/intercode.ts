import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import { TextModeTurns } from './text-mode-turns.js';

/** Results of InterCode: for each task, the question and parallel lists of actions and observations. Each task is a session. */
export const intercode: LogFormat = {
  name: 'intercode',

  recognise: ({ document }) =>
    isObject(document) &&
    Object.keys(document).length > 0 &&
    Object.values(document).every((task) => isObject(task) && Array.isArray(objectOf(task['turn_history'])['actions'])),

  read: readInterCode,
};

async function* readInterCode(source: LogSource): AsyncGenerator<ImportedSession> {
  const tasks = Object.entries(objectOf(source.document));
  for (const [key, value] of tasks) {
    const task = objectOf(value);
    const history = objectOf(task['turn_history']);
    const observations = listOf(history['observations']);
    const name = textOf(task['environment'])?.replace(/^ic_/, '') ?? 'shell';
    const turns = new TextModeTurns(source.notes);
    turns.user({ id: 'query' }, turns.recorder.parts({ id: 'query' }, task['query']));
    for (const [index, action] of listOf(history['actions']).entries()) {
      const command = typeof action === 'string' ? action : JSON.stringify(action);
      turns.assistant({ id: `action-${index}` }, { thought: '', calls: [{ name, input: { command } }] });
      if (index >= observations.length) continue;
      const observation = observations[index];
      const text = typeof observation === 'string' ? observation : JSON.stringify(observation);
      turns.user({ id: `observation-${index}` }, text === '' ? [] : [{ type: 'text', text }]);
    }
    yield { name: tasks.length === 1 ? source.name : `${source.name}#${key}`, events: turns.finish() };
  }
}
