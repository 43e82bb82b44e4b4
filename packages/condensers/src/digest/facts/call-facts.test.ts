import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { callFacts } from './call-facts.js';
import type { Fact } from './fact.js';

const nothingKnown = { knowsFile: () => false, isFailing: () => false, isRunning: () => false };

function factsOf(
  name: string,
  input: Record<string, unknown> | string,
  result = '',
  known: Partial<typeof nothingKnown> = {},
) {
  const { action, result: answer } = logBuilder().call(name, input, result);
  return callFacts(action, answer, { ...nothingKnown, ...known });
}

const kinds = (facts: readonly Fact[], kind: Fact['kind']) => facts.filter((fact) => fact.kind === kind);
const files = (facts: readonly Fact[]) =>
  facts.flatMap((fact) => (fact.kind === 'file' ? [`${fact.operation} ${fact.path}`] : []));

test.each([
  // Different agents name the same things differently.
  {
    name: 'Read',
    input: { file_path: '/w/a.go', offset: 1, limit: 20 },
    result: '1→package a',
    told: ['read /w/a.go'],
  },
  { name: 'read', input: { path: 'a.ts' }, result: 'text', told: ['read a.ts'] },
  { name: 'fs_read_text', input: { filePath: 'a.ts' }, result: 'text', told: ['read a.ts'] },
  { name: 'viewSource', input: { file: 'a.py', startLine: 3, endLine: 9 }, result: 'text', told: ['read a.py'] },
  {
    name: 'str_replace_editor',
    input: { command: 'view', path: 'a.py' },
    result: '  1\tx\n  2\ty',
    told: ['read a.py'],
  },
  { name: 'look_at', input: { target_file: 'a.py' }, result: 'text', told: ['read a.py'] },
  { name: 'consult', input: { filename: 'a.py' }, result: '1: one\n2: two\n3: three', told: ['read a.py'] },
  {
    name: 'Write',
    input: { file_path: 'b.ts', content: 'x' },
    result: 'File created successfully at: b.ts',
    told: ['created b.ts'],
  },
  { name: 'write_file', input: { path: 'b.ts', content: 'x' }, result: 'ok', told: ['created b.ts'] },
  { name: 'CreateDocument', input: { TargetFile: 'b.ts', CodeContent: 'x' }, result: '', told: ['created b.ts'] },
  {
    name: 'str_replace_editor',
    input: { command: 'create', path: 'b.py', file_text: 'x' },
    result: '',
    told: ['created b.py'],
  },
  { name: 'create', input: { filename: 'b.py' }, result: '[File: b.py (1 lines total)]', told: ['created b.py'] },
  {
    name: 'Write',
    input: { file_path: 'b.ts', content: 'x' },
    result: 'The file b.ts has been updated.',
    told: ['modified b.ts'],
  },
  {
    name: 'Edit',
    input: { file_path: 'c.ts', old_string: 'a', new_string: 'b' },
    result: 'done',
    told: ['modified c.ts'],
  },
  { name: 'edit', input: { path: 'c.ts', oldText: 'a', newText: '' }, result: 'done', told: ['modified c.ts'] },
  {
    name: 'MultiEdit',
    input: { file_path: 'c.ts', edits: [{ old_string: 'a', new_string: 'b' }] },
    result: '',
    told: ['modified c.ts'],
  },
  {
    name: 'replace_in_file',
    input: { path: 'c.ts', diff: '<<<< a ==== b >>>>' },
    result: 'ok',
    told: ['modified c.ts'],
  },
  { name: 'append_to_file', input: { path: 'c.ts', content: 'x' }, result: 'ok', told: ['modified c.ts'] },
  {
    name: 'str_replace_editor',
    input: { command: 'insert', path: 'c.py', insert_line: 3, new_str: 'x' },
    result: '',
    told: ['modified c.py'],
  },
  {
    name: 'edit',
    input: { search: 'a', replace: 'b' },
    result: 'Text replaced.\n(Open file: /w/c.py)',
    told: ['modified /w/c.py'],
  },
  {
    name: 'notebook_edit',
    input: { notebook_path: 'n.ipynb', new_source: 'x' },
    result: '',
    told: ['modified n.ipynb'],
  },
  { name: 'delete_file', input: { target_file: 'd.ts' }, result: '', told: ['deleted d.ts'] },
  { name: 'remove', input: { paths: ['d.ts', 'e.ts'] }, result: '', told: ['deleted d.ts', 'deleted e.ts'] },
  {
    name: 'rename_path',
    input: { old_path: 'e.ts', new_path: 'f.ts' },
    result: '',
    told: ['deleted e.ts', 'created f.ts'],
  },
  { name: 'copyFile', input: { source_path: 'e.ts', destination_path: 'f.ts' }, result: '', told: ['created f.ts'] },
  {
    name: 'apply_patch',
    input: { input: '*** Begin Patch\n*** Add File: g.ts\n+x\n*** End Patch' },
    result: '',
    told: ['created g.ts'],
  },
  { name: 'apply_diff', input: { diff: '--- a/h.ts\n+++ b/h.ts\n@@ -1 +1 @@' }, result: '', told: ['modified h.ts'] },
  {
    name: 'apply_patch',
    input: '*** Begin Patch\n*** Update File: i.ts\n*** End Patch',
    result: '',
    told: ['modified i.ts'],
  },
  {
    name: 'edit_file',
    input: { target_file: 'j.ts', code_edit: 'x' },
    result: 'The file j.ts has been created.',
    told: ['created j.ts'],
  },
  {
    name: 'edit_file',
    input: { target_file: 'j.ts', code_edit: 'x' },
    result: 'Edited.\n1: it is created',
    told: ['modified j.ts'],
  },
  {
    name: 'move_file',
    input: { source: 'src/a.ts', destination: 'src/b.ts' },
    result: '',
    told: ['deleted src/a.ts', 'created src/b.ts'],
  },
  { name: 'copy', input: { from: 'a.ts', to: 'b.ts' }, result: '', told: ['created b.ts'] },
  {
    name: 'replace_symbol_body',
    input: { name_path: 'Thing/run', relative_path: 'k.ts', body: 'x' },
    result: 'OK',
    told: ['modified k.ts'],
  },
  { name: 'inscribe', input: { scrollPath: 'l.ts', newContents: 'x' }, result: 'A new file.', told: ['created l.ts'] },
  { name: 'insert', input: { path: 'l.ts', line: 3, new_text: 'x' }, result: 'ok', told: ['modified l.ts'] },
  // None of these does anything to a file.
  { name: 'move_issue', input: { from: 'Backlog', to: 'Done' }, result: 'ok', told: [] },
  { name: 'copy_object', input: { source: 's3://a/b.txt', destination: 's3://a/c.txt' }, result: 'ok', told: [] },
  { name: 'Grep', input: { pattern: 'x', path: 'src' }, result: 'src/a.ts:1:x', told: [] },
  { name: 'list_files', input: { path: 'src' }, result: 'a.ts', told: [] },
  { name: 'view', input: { path: '/w/src' }, result: '/w/src/a.ts\n/w/src/b.ts', told: [] },
  { name: 'read_file', input: { path: 'gone.ts' }, result: 'Error: no such file', told: [] },
])('$name $input', ({ name, input, result, told }) => {
  expect(files(factsOf(name, input, result))).toEqual(told);
});

test('a file that was seen before is modified where the answer does not say', () => {
  const known = { knowsFile: () => true };
  expect(files(factsOf('write_file', { path: 'b.ts', content: 'x' }, 'ok', known))).toEqual(['modified b.ts']);
});

test.each([
  { name: 'Bash', input: { command: 'npm test', description: 'Run' }, result: 'Exit code 1\nfailed', status: 1 },
  { name: 'bash', input: { command: 'npm test' }, result: 'x\n\nCommand exited with code 2', status: 2 },
  {
    name: 'exec_command',
    input: { cmd: 'npm test', workdir: '/w' },
    result: 'Process exited with code 0\nOutput:\nx',
    status: 0,
  },
  {
    name: 'execute_bash',
    input: { command: 'npm test' },
    result: 'x\n[Command finished with exit code 137]',
    status: 137,
  },
  {
    name: 'shell',
    input: { command: ['bash', '-lc', 'npm test'] },
    result: '{"output":"x","metadata":{"exit_code":3}}',
    status: 3,
  },
  { name: 'run_in_terminal', input: { CommandLine: 'npm test' }, result: '<returncode>4</returncode>', status: 4 },
  {
    name: 'execute_bash',
    input: { command: 'npm test' },
    result: '{"exit_status":"5","stdout":"x","stderr":""}',
    status: 5,
  },
  { name: 'terminal', input: { script: 'npm test' }, result: 'all good', status: 'ok' },
  { name: 'terminal', input: { command: 'npm test' }, result: 'Process running with session ID 7', status: 'running' },
])('the command of $name with $result', ({ name, input, result, status }) => {
  expect(factsOf(name, input, result)[0]).toEqual({ kind: 'command', command: 'npm test', status });
});

test('an observation marked as an error failed, and what a program keeps in details counts', () => {
  const log = logBuilder();
  const failed = log.action({ name: 'bash', input: { command: 'make' } });
  expect(callFacts(failed, log.observation(failed, 'stopped', { isError: true }), nothingKnown)[0]).toMatchObject({
    status: 'failed',
  });
  const detailed = log.action({ name: 'bash', input: { command: 'make' } });
  const answer = log.observation(detailed, 'stopped', { details: { exitCode: 9 } });
  expect(callFacts(detailed, answer, nothingKnown)[0]).toMatchObject({ status: 9 });
});

test('a command tells what it did to files, which tests failed, and what went wrong', () => {
  const facts = factsOf(
    'bash',
    { command: 'cp a.ts b.ts && npm test' },
    'not ok 1 - parses\nError: boom happened\nexit code 1',
  );
  expect(files(facts)).toEqual(['created b.ts']);
  expect(kinds(facts, 'tests')).toMatchObject([{ failing: ['parses'] }]);
  expect(kinds(facts, 'error')).toEqual([
    { kind: 'error', of: 'cp a.ts b.ts && npm test', text: 'Error: boom happened' },
  ]);
  expect(files(factsOf('bash', { command: 'cp a.ts b.ts && npm test' }, 'ok 1 - parses'))).toEqual(['created b.ts']);
});

test('a command that was refused, or of which no status is known, did nothing to files', () => {
  const log = logBuilder();
  const input = { command: 'cp a.ts b.ts && npm test' };
  const call = log.action({ name: 'bash', input });
  expect(files(callFacts(call, log.reject(call, 'no'), nothingKnown))).toEqual([]);
  const other = log.action({ name: 'bash', input });
  expect(files(callFacts(other, log.observation(other, 'stopped', { isError: true }), nothingKnown))).toEqual([]);
});

test('a look that finds nothing is no error', () => {
  const facts = factsOf('bash', { command: 'grep -rn missing src' }, 'exit code 1');
  expect(facts).toEqual([{ kind: 'command', command: 'grep -rn missing src', status: 1, onlyLooks: true }]);
});

test('other calls are told with their arguments, and the identifiers that they used and got', () => {
  const facts = factsOf(
    'book_reservation',
    { user_id: 'mia_li_3668', flights: [{ number: 'HAT136' }] },
    '{"reservation_id":"HATHAT"}',
  );
  expect(facts).toEqual([
    { kind: 'call', call: 'book_reservation(user_id=mia_li_3668, number=HAT136)', status: 'ok' },
    { kind: 'identifier', label: 'user_id', value: 'mia_li_3668', used: true },
    { kind: 'identifier', label: 'number', value: 'HAT136', used: true },
    { kind: 'identifier', label: 'reservation_id', value: 'HATHAT' },
  ]);
  expect(factsOf('get_user', { user_id: 'x_1' })[0]).toMatchObject({ kind: 'call', onlyLooks: true });
});

test('a call that failed is told with its error', () => {
  const facts = factsOf('book_reservation', { payment: 255 }, 'Error: payment amount does not add up');
  expect(facts).toEqual([
    { kind: 'call', call: 'book_reservation(payment=255)', status: 'failed' },
    { kind: 'error', of: 'book_reservation(payment=255)', text: 'Error: payment amount does not add up' },
  ]);
});

test('of a trace back the last line is the error', () => {
  const trace =
    'Traceback (most recent call last):\n  File "a.py", line 1\n    raise ValueError\nValueError: not a number\nexit code 1';
  expect(kinds(factsOf('bash', { command: 'python a.py' }, trace), 'error')).toMatchObject([
    { text: 'ValueError: not a number' },
  ]);
});

test("refusals and answers to the agent's questions are the user's words", () => {
  const log = logBuilder();
  const refused = log.action({ name: 'edit', input: { path: 'a.ts', old_string: 'a', new_string: 'b' } });
  const reason = log.reject(refused, 'use a map instead');
  expect(callFacts(refused, reason, nothingKnown)[0]).toEqual({ kind: 'words', by: 'user', eventId: reason.id });
  const hook = log.reject(refused, 'forbidden', { rejectionSource: 'hook' });
  expect(kinds(callFacts(refused, hook, nothingKnown), 'words')).toEqual([]);
  expect(factsOf('AskUserQuestion', { questions: ['Which?'] }, 'The second.')[0]).toMatchObject({
    kind: 'words',
    by: 'user',
  });
});

test('a thought is no act', () => {
  expect(factsOf('think', { thought: 'Hm, error handling is missing.' })).toEqual([]);
});

test('arguments that do not parse and answers without text are told too', () => {
  expect(factsOf('strange', 'not json')[0]).toEqual({ kind: 'call', call: 'strange(not json)', status: 'ok' });
  expect(factsOf('strange', '')[0]).toEqual({ kind: 'call', call: 'strange()', status: 'ok' });
});
