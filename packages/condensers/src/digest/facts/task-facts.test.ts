import { expect, test } from 'vitest';
import { isOpen, taskFacts } from './task-facts.js';

const facts = (toolName: string, input: Record<string, unknown>, body = '') =>
  taskFacts({ toolName, arguments: input, body });

test('a list that is written anew, in the spellings of several agents', () => {
  const tasks = [
    { title: 'Read', status: 'completed' },
    { title: 'Write', status: 'in_progress' },
  ];
  const written = (key: string, titleKey: string) => ({
    [key]: tasks.map(({ title, status }) => ({ [titleKey]: title, status })),
  });
  expect(facts('TodoWrite', written('todos', 'content'))).toEqual([{ kind: 'task-list', list: 'TodoWrite', tasks }]);
  expect(facts('update_plan', written('plan', 'step'))).toEqual([{ kind: 'task-list', list: 'update_plan', tasks }]);
  expect(facts('task_tracker', { command: 'plan', ...written('task_list', 'title') })).toMatchObject([
    { list: 'task_tracker' },
  ]);
  expect(facts('checklist', { items: [{ id: 7, text: 'Read', done: true }] })).toEqual([
    { kind: 'task-list', list: 'checklist', tasks: [{ id: '7', title: 'Read', status: 'done' }] },
  ]);
});

test('one task that is made, changed or closed', () => {
  expect(
    facts('TaskCreate', { subject: 'Explore', description: 'Look' }, 'Task #3 created successfully: Explore'),
  ).toEqual([{ kind: 'task', task: { id: '3', status: 'pending', title: 'Explore' } }]);
  expect(facts('TaskUpdate', { taskId: '3', status: 'in_progress' })).toEqual([
    { kind: 'task', task: { id: '3', status: 'in_progress' } },
  ]);
  expect(facts('complete_task', { task_id: 3 })).toEqual([{ kind: 'task', task: { id: '3', status: 'done' } }]);
});

test('lists of other things, and work that is handed to another agent, are no tasks', () => {
  expect(facts('book', { passengers: [{ name: 'Mia', status: 'gold' }, 'x'] })).toEqual([]);
  expect(facts('edit', { edits: [{ old_string: 'a', new_string: 'b' }] })).toEqual([]);
  expect(facts('Task', { description: 'Explore', prompt: 'Look at everything' })).toEqual([]);
  expect(facts('todo', { todos: [] })).toEqual([]);
});

test.each([
  ['pending', true],
  ['in_progress', true],
  [undefined, true],
  ['completed', false],
  ['DONE', false],
  ['cancelled', false],
])('a task that is %s is open: %s', (status, open) => {
  expect(isOpen(status === undefined ? {} : { status })).toBe(open);
});
