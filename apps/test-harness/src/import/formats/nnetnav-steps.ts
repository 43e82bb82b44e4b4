import { plainText } from '../content-parts.js';
import { isObject, listOf, objectOf } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import { fencedCommand, TextModeTurns } from './text-mode-turns.js';

/**
 * The steps of a browser agent. Each row has its own prompt (system text and page) and a reply. The rows form one
 * conversation: the first page is the task, and each later page is the result of the previous action.
 */
export const nnetnavSteps: LogFormat = {
  name: 'nnetnav-steps',

  recognise: ({ document }) =>
    Array.isArray(document) &&
    document.length > 0 &&
    document.every(
      (row) =>
        isObject(row) && 'task_name' in row && Array.isArray(row['messages']) && typeof row['output'] === 'string',
    ),

  read: readSteps,
};

async function* readSteps(source: LogSource): AsyncGenerator<ImportedSession> {
  const turns = new TextModeTurns(source.notes);
  for (const [step, value] of listOf(source.document).entries()) {
    const row = objectOf(value);
    for (const [index, message] of listOf(row['messages']).map(objectOf).entries()) {
      const entry = { id: `step-${step}-${index}` };
      const text = plainText(message['content']);
      const { role } = message;
      const isRepeated = step > 0 && role !== 'user' && role !== 'assistant';
      if (isRepeated) source.notes.add('skipped-line', 'every row repeats the instructions');
      else turns.read(entry, { role, text }, (said) => fencedCommand(said, 'browser'));
    }
  }
  yield { name: source.name, events: turns.finish() };
}
