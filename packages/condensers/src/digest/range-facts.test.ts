import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { rangeContent } from '../authoring/summaries/range.js';
import { factsOfRange } from './range-facts.js';

function session(): LogBuilder {
  const log = logBuilder();
  log.system();
  log.user('Fix the parser.');
  log.call('read_file', { path: 'src/parser.ts' }, 'export {};');
  log.call('str_replace', { path: 'src/parser.ts', old_str: 'a', new_str: 'b' }, 'ok');
  log.user('Keep the tabs.');
  log.call(
    'todo_write',
    {
      todos: [
        { content: 'Write the test', status: 'pending' },
        { content: 'Read it', status: 'completed' },
      ],
    },
    'ok',
  );
  log.call('create_file', { path: 'src/parser.test.ts', content: 'x' }, 'ok');
  log.call('bash', { command: 'npx vitest run' }, ' FAIL  src/parser.test.ts > an empty file\nError: no line 0');
  log.agent('It fails.');
  log.user('Go on.');
  log.call('bash', { command: 'ls' }, 'src');
  return log;
}

function factsOf(events: LogBuilder['events'], end = -2) {
  const view = View.fromEvents(events);
  const content = rangeContent(view, { start: 2, end: view.events.length + end });
  if (content === undefined) throw new Error('there is nothing to forget');
  return factsOfRange(view, content);
}

test('what the user said, and what a summary must name', () => {
  const { userWords, facts } = factsOf(session().events);
  expect(userWords).toEqual(['Keep the tabs.']);
  expect(facts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Write the test', 'src/parser.ts', 'src/parser.test.ts']),
  );
  const texts = facts.map(({ text }) => text);
  expect(texts).toContain('Open task (pending): Write the test');
  expect(texts.join('\n')).toMatch(/Test that failed when it last ran: .*an empty file/);
  expect(texts.indexOf('File created: src/parser.test.ts')).toBeLessThan(texts.indexOf('File modified: src/parser.ts'));
  expect(texts.join('\n')).not.toContain('Read it');
  expect(texts.join('\n')).not.toContain('package.json');
});

test('the events behind earlier summaries count, whatever these say', () => {
  const log = session();
  const view = View.fromEvents(log.events);
  const forgottenEventIds = view.events.slice(2, 10).map(({ id }) => id);
  const direct = factsOf(log.events);
  log.add(log.create('condensation', { forgottenEventIds, summary: 'Things happened.', summaryOffset: 2 }));
  expect(factsOf(log.events)).toEqual(direct);
});

test('many failing tests leave room for the changed files, and the newest come first', () => {
  const log = session();
  const output = Array.from({ length: 30 }, (_, index) => ` FAIL  src/parser.test.ts > case ${index}\nError: no line`);
  log.call('bash', { command: 'npx vitest run' }, output.join('\n'));
  log.call('bash', { command: 'ls' }, 'src');
  const texts = factsOf(log.events).facts.map(({ text }) => text);
  const tests = texts.filter((text) => text.startsWith('Test that failed'));
  expect(tests).toHaveLength(20);
  expect(tests[0]).toContain('case 29');
  expect(texts.indexOf('File created: src/parser.test.ts')).toBeLessThan(texts.indexOf(tests[5] ?? ''));
});

test('what still runs comes first, with what it is, up to ten of them', () => {
  const log = logBuilder();
  log.user('Start all.');
  for (let count = 1; count <= 12; count++) {
    log.call('exec_command', { cmd: `serve ${count}` }, `Process running with session ID ${100 + count}\nOutput:\n`);
  }
  log.call('write_stdin', { session_id: 112, chars: 'q' }, 'Process exited with code 0\nOutput:\n');
  const inRange = log.events.length;
  // What ends behind the range is over all the same.
  log.call('write_stdin', { session_id: 111, chars: 'q' }, 'Process exited with code 0\nOutput:\n');
  const view = View.fromEvents(log.events);
  const content = rangeContent(view, { start: 1, end: inRange });
  if (content === undefined) throw new Error('there is nothing to forget');
  const texts = factsOfRange(view, content).facts.map(({ text }) => text);
  expect(texts.slice(0, 10)).toEqual(
    Array.from({ length: 10 }, (_, index) => `Still running: ${110 - index} (serve ${10 - index})`),
  );
  expect(texts.join('\n')).not.toMatch(/Still running: 11[12]/);
});
