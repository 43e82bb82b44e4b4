import { expect, test } from 'vitest';
import type { Fact } from './fact.js';
import { factsFromMetadata } from './fact.js';
import { Manifest } from './manifest.js';

test('an operation on a file stands once, the latest last; the file that was touched last stands last', () => {
  const manifest = new Manifest([
    { kind: 'file', path: 'a', operation: 'read' },
    { kind: 'file', path: 'a', operation: 'modified' },
    { kind: 'file', path: 'b', operation: 'created' },
    { kind: 'file', path: 'a', operation: 'read' },
  ]);
  expect(manifest.files).toEqual([
    { path: 'b', operations: ['created'] },
    { path: 'a', operations: ['modified', 'read'] },
  ]);
  expect(manifest.knowsFile('a') && !manifest.knowsFile('c')).toBe(true);
});

test('an error stands until the same thing goes through', () => {
  const manifest = new Manifest([
    { kind: 'command', command: 'npm test', status: 1 },
    { kind: 'error', of: 'npm test', text: 'boom' },
    { kind: 'error', of: 'a.ts', text: 'not found' },
    { kind: 'error', of: 'book()', text: 'refused' },
  ]);
  manifest.add({ kind: 'command', command: 'npm test', status: 'running' });
  expect(manifest.errors).toHaveLength(3);
  manifest.add({ kind: 'command', command: 'npm test', status: 0 });
  manifest.add({ kind: 'file', path: 'a.ts', operation: 'modified' });
  expect(manifest.errors).toEqual([{ of: 'book()', text: 'refused' }]);
  expect(manifest.commands).toEqual([{ text: 'npm test', status: 0, times: 3, onlyLooks: false }]);
});

test('a failing test stands until it passes, or its command does', () => {
  const manifest = new Manifest([
    { kind: 'tests', of: 'npm test', failing: ['a', 'b'], passing: [] },
    { kind: 'tests', of: 'npm test -- other', failing: ['c'], passing: [] },
    { kind: 'tests', of: 'npm test -- a', failing: [], passing: ['a'] },
  ]);
  expect(manifest.failingTests).toEqual(['b', 'c']);
  expect(manifest.isFailing('b')).toBe(true);
  manifest.add({ kind: 'command', command: 'npm test', status: 'ok' });
  expect(manifest.failingTests).toEqual(['c']);
});

test('a list of tasks replaces the one before it; a single task is changed', () => {
  const manifest = new Manifest([
    { kind: 'task-list', list: 'todo', tasks: [{ title: 'old', status: 'pending' }] },
    { kind: 'task-list', list: 'todo', tasks: [{ title: 'new', status: 'pending' }] },
    { kind: 'task', task: { id: '1', title: 'one', status: 'pending' } },
    { kind: 'task', task: { id: '1', status: 'in_progress' } },
  ]);
  expect(manifest.tasks).toEqual([
    { title: 'new', status: 'pending' },
    { id: '1', title: 'one', status: 'in_progress' },
  ]);
});

test('an identifier that was used stays used, and keeps its label', () => {
  const manifest = new Manifest([
    { kind: 'identifier', label: 'user_id', value: 'x_1', used: true },
    { kind: 'identifier', label: '', value: 'x_1' },
  ]);
  expect(manifest.identifiers).toEqual([{ value: 'x_1', label: 'user_id', used: true }]);
});

test('facts survive JSON, and what is not one is passed over', () => {
  const facts: readonly Fact[] = [
    { kind: 'words', by: 'user', eventId: 'e1' },
    { kind: 'earlier-summary', eventId: 'c1' },
    { kind: 'file', path: '__proto__', operation: 'read' },
    { kind: 'command', command: 'ls', status: 0, onlyLooks: true },
    { kind: 'call', call: 'x()', status: 'failed' },
    { kind: 'error', of: 'x()', text: 'boom' },
    { kind: 'tests', of: 'npm test', failing: ['a'], passing: [] },
    { kind: 'task-list', list: 'todo', tasks: [{ title: 'a', status: 'pending' }] },
    { kind: 'task', task: { id: '1' } },
    { kind: 'identifier', label: '', value: 'x', used: true },
  ];
  const strange = [
    null,
    'x',
    {},
    { kind: 'toString' },
    { kind: 'newer', x: 1 },
    { kind: 'file', path: 3, operation: 'read' },
  ];
  const read = factsFromMetadata(
    JSON.parse(JSON.stringify({ facts: [...strange, ...facts] })) as Record<string, unknown>,
  );
  expect(read).toEqual(facts);
  expect(new Manifest(read).files).toEqual([{ path: '__proto__', operations: ['read'] }]);
  expect(factsFromMetadata(undefined)).toBeUndefined();
  expect(factsFromMetadata({ facts: 'none' })).toBeUndefined();
});
