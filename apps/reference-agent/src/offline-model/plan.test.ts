import type { AssistantMessage, Message, ToolMessage } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { nextTurn } from './plan.js';
import type { PlanStep } from './plan.js';
import { edit, read, run, step, succeeded } from './sample-plan/steps.js';
import { demoPlan } from './sample-plan/demo-plan.js';
import { samplePlan } from './sample-plan/index.js';

const plan: readonly PlanStep[] = [
  step('look', 'I look.', read('a.js')),
  { ...step('test', 'I test.', run('npm test')), next: (results) => (succeeded(results) ? 'done' : undefined) },
  step('repair', 'I repair.', edit('a.js', 'let old;\nlet older;', 'let fresh;')),
  step('done', 'Done.'),
];

const user: Message = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };
const said = (text: string): AssistantMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });
const result = (toolName: string, text: string, isError = false): ToolMessage => ({
  role: 'tool',
  toolCallId: 'call',
  toolName,
  content: [{ type: 'text', text }],
  isError,
});
const fileResult = result('read_file', '1\tlet old;\n2\tlet older;');

test('begins at the beginning', () => {
  expect(nextTurn(plan, [user])).toMatchObject({ step: 'look', calls: [{ tool: 'read_file' }] });
});

test('goes on from its own last turn', () => {
  expect(nextTurn(plan, [user, said('I look. [look]'), fileResult])).toMatchObject({ step: 'test' });
});

test('decides by what a call answered', () => {
  const after = (text: string) =>
    nextTurn(plan, [user, fileResult, said('I test. [test]'), result('run_command', text)])?.step;
  expect(after('fine\n[exit status 0]')).toBe('done');
  expect(after('bad\n[exit status 1]')).toBe('repair');
});

test('edits at once while the text is before it, over line numbers too', () => {
  const messages = [
    user,
    said('I look. [look]'),
    fileResult,
    said('I test. [test]'),
    result('run_command', '[exit status 1]'),
  ];
  expect(nextTurn(plan, messages)).toMatchObject({
    step: 'repair',
    isReadingAgain: false,
    calls: [{ tool: 'edit_file' }],
  });
});

test('reads again when the text is not before it any more, and then edits', () => {
  const masked = [
    user,
    said('I look. [look]'),
    result('read_file', 'masked'),
    said('I test. [test]'),
    result('run_command', '[exit status 1]'),
  ];
  const turn = nextTurn(plan, masked);
  expect(turn).toMatchObject({
    step: 'repair',
    isReadingAgain: true,
    calls: [{ tool: 'read_file', input: { path: 'a.js' } }],
  });
  const again = [...masked, said('I read it again. [repair, again]'), fileResult];
  expect(nextTurn(plan, again)).toMatchObject({
    step: 'repair',
    isReadingAgain: false,
    calls: [{ tool: 'edit_file' }],
  });
});

test('does not read for ever: if the file itself has changed, the edit says so', () => {
  const messages = [user, said('I read it again. [repair, again]'), result('read_file', 'something else')];
  expect(nextTurn(plan, messages)).toMatchObject({ isReadingAgain: false, calls: [{ tool: 'edit_file' }] });
});

test('edits several files of a turn after it has read again those whose text it misses, each once', () => {
  const edits = step(
    'all',
    'Now.',
    edit('a.js', 'let old;', 'b'),
    edit('a.js', 'let older;', 'c'),
    edit('b.js', 'x', 'y'),
  );
  const created = step(
    'new',
    'New.',
    { tool: 'write_file', input: { path: 'c.js', content: 'let c;' } },
    edit('c.js', 'let c', 'd'),
  );
  expect(nextTurn([edits], [user])).toMatchObject({
    isReadingAgain: true,
    calls: [{ input: { path: 'a.js' } }, { input: { path: 'b.js' } }],
  });
  expect(nextTurn([created], [user])).toMatchObject({ isReadingAgain: false });
});

test('ends after the last step', () => {
  expect(nextTurn(plan, [user, said('Done. [done]')])).toBeUndefined();
});

test('depends on the messages alone', () => {
  const messages = [user, said('I look. [look]'), fileResult];
  expect(nextTurn(plan, structuredClone(messages))).toEqual(nextTurn(plan, messages));
});

test.each([
  ['sample plan', samplePlan],
  ['demo plan', demoPlan],
])('the names of the %s are unique, and every step that it jumps to exists', (_name, steps) => {
  const names = steps.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const outcomes = ['[exit status 0]', '[exit status 1]'].map((text) => [
    { tool: 'run_command', text, isError: false },
  ]);
  const targets = steps.flatMap(({ next }) => outcomes.map((results) => next?.(results)));
  expect(targets.filter((target) => target !== undefined && !names.includes(target))).toEqual([]);
});
