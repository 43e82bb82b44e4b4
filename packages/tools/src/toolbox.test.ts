import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event } from '@palimpsest/events';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryWorkspace } from '../test-support/temporary-workspace.js';
import { fileHistory } from './changes/file-history.js';
import { todoTool } from './todo.js';
import { toolbox } from './toolbox.js';
import { undoEdits } from './changes/undo.js';
import { workspaceTools } from './workspace-tools.js';

async function box(onEvent?: (event: Event) => void) {
  const workspace = await temporaryWorkspace({ 'a.txt': 'one\n' });
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-history-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const history = fileHistory({ directory });
  const tools = [...workspaceTools(workspace, { history }), todoTool()];
  return { ...toolbox(tools, onEvent === undefined ? {} : { onEvent }), workspace, history, tools };
}

test('answers calls with their arguments as text or parsed', async () => {
  const { call } = await box();
  expect(await call({ name: 'read_file', input: '{"path":"a.txt"}' })).toEqual({ content: '1\tone', isError: false });
  expect(await call({ name: 'read_file', input: { path: 'a.txt' } })).toEqual({ content: '1\tone', isError: false });
  expect(await call({ name: 'list_files', input: '' })).toMatchObject({ content: 'a.txt (4 bytes)' });
});

test.each([
  ['absent', {}, /no tool 'absent'. There are: list_files, read_file/],
  ['read_file', '{"path":', /The arguments are no JSON: .* Send the call again/],
  ['read_file', { path: 1 }, /Invalid input for 'read_file'/],
  ['read_file', { path: '../x' }, /outside the workspace/],
  ['run_command', { command: 'sleep 9', timeout_seconds: 0.001 }, /ended after/],
])('what goes wrong with %s %j is an answer for the model', async (name, input, message) => {
  const { call } = await box();
  expect(await call({ name, input })).toEqual({ content: expect.stringMatching(message), isError: true });
});

test('keeps what todo and undo need, also for the next toolbox', async () => {
  const stored: Event[] = [];
  const { call, tools, workspace, history } = await box((event) => void stored.push(event));
  await call({ name: 'todo', input: { items: [{ text: 'edit', status: 'pending' }] } });
  const edit = { path: 'a.txt', old_text: 'one', new_text: 'two' };
  await call({ name: 'edit_file', input: edit, id: 'call_1' });
  const next = toolbox(tools, { events: stored });
  expect(await next.call({ name: 'todo', input: {} })).toMatchObject({ content: '0 of 1 done:\n[ ] edit' });
  await undoEdits({ workspace, history, events: next.events });
  expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toBe('one\n');
});

test('a change whose record cannot be stored is not made', async () => {
  const { call, workspace } = await box(({ type }) => {
    if (type === 'palimpsest/file-edit') throw new Error('the disk is full');
  });
  const answer = await call({ name: 'write_file', input: { path: 'a.txt', content: 'x' } });
  expect(answer).toEqual({ content: 'the disk is full', isError: true });
  expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toBe('one\n');
});

test('an abort is no answer', async () => {
  const { call, events } = await box();
  const stop = new AbortController();
  const running = call({ name: 'run_command', input: { command: 'sleep 9' }, signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  expect(events).toEqual([]);
});
