import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvent, newEventId, parseEvent } from '@palimpsest/events';
import type { Event, ToolContext } from '@palimpsest/events';
import { expect, onTestFinished, test } from 'vitest';
import { noContext, temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { editFileTool } from '../files/edit-file.js';
import { fileEdits, fileHistory, FileHistoryError } from './file-history.js';
import { planUndo, undoEdits, UndoConflictError } from './undo.js';
import { writeFileTool } from '../files/write-file.js';

async function recorded(files: Readonly<Record<string, string>> = {}) {
  const workspace = await temporaryWorkspace(files);
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-history-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const history = fileHistory({ directory: join(directory, 'files') });
  const events: Event[] = [];
  const context = (): ToolContext => ({
    ...noContext,
    actionId: newEventId(),
    append: async (event) => void events.push(parseEvent(JSON.parse(JSON.stringify(event)))),
  });
  const place = (path: string) => join(workspace.root, path);
  return {
    workspace,
    history,
    events,
    place,
    directory: join(directory, 'files'),
    context,
    options: { workspace, history, events },
    write: async (path: string, content: string) =>
      writeFileTool(workspace, { history }).execute({ path, content }, context()),
    edit: async (path: string, old_text: string, new_text: string) =>
      editFileTool(workspace, { history }).execute({ path, old_text, new_text }, context()),
    read: async (path: string) => readFile(place(path), 'utf8'),
  };
}

test('files are brought back: changed, created, deleted since; modes and folders too', async () => {
  const { write, edit, read, place, options, events, directory, workspace } = await recorded({
    'a.txt': 'one\n',
    'b.txt': 'b\n',
    'run.sh': 'run\n',
  });
  await chmod(place('run.sh'), 0o755);
  await edit('a.txt', 'one', 'two');
  await edit('a.txt', 'two', 'three');
  await write('new/deep/c.txt', 'c\n');
  await write('b.txt', 'B\n');
  await edit('run.sh', 'run', 'walk');
  await chmod(place('run.sh'), 0o600);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect(events.map(({ type, source }) => [type, source])).toEqual(
    Array.from({ length: 5 }, () => ['palimpsest/file-edit', 'environment']),
  );
  expect(JSON.stringify(events)).not.toContain('three');

  const plan = await planUndo(options);
  expect(plan.map(({ path, action, eventIds }) => [path, action, eventIds.length])).toEqual([
    ['run.sh', 'restore', 1],
    ['b.txt', 'restore', 1],
    ['new/deep/c.txt', 'delete', 1],
    ['a.txt', 'restore', 2],
  ]);
  expect(await read('a.txt')).toBe('three\n');

  expect(await undoEdits(options)).toEqual(plan);
  expect([await read('a.txt'), await read('b.txt'), await read('run.sh')]).toEqual(['one\n', 'b\n', 'run\n']);
  expect((await stat(place('run.sh'))).mode & 0o777).toBe(0o755);
  expect((await readdir(workspace.root)).sort()).toEqual(['a.txt', 'b.txt', 'run.sh']);
  expect((await undoEdits(options)).map(({ action }) => action)).toEqual(['none', 'none', 'none', 'none']);
});

test('only what was changed from an event on', async () => {
  const { edit, read, options, events } = await recorded({ 'a.txt': 'one\n' });
  await edit('a.txt', 'one', 'two');
  events.push(createEvent('condensation-request', { reason: 'here' }));
  await edit('a.txt', 'two', 'three');
  await undoEdits({ ...options, before: events[1]?.id ?? '' });
  expect(await read('a.txt')).toBe('two\n');
  await expect(planUndo({ ...options, before: 'nothing' })).rejects.toThrow("The log has no event 'nothing'.");
  await undoEdits(options);
  expect(await read('a.txt')).toBe('one\n');
});

test('a file that another hand has changed is refused, and so are all others; force overwrites it', async () => {
  const { edit, read, write, place, options } = await recorded({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  await edit('a.txt', 'one', 'two');
  await edit('b.txt', 'b', 'B');
  await write('c.txt', 'c\n');
  await writeFile(place('a.txt'), 'mine\n');
  await rm(place('c.txt'));
  const error: unknown = await undoEdits(options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UndoConflictError);
  expect(error).toMatchObject({
    conflicts: [{ path: 'a.txt', conflict: 'changed-since' }],
    message: expect.stringMatching(
      /^Nothing was undone, because of: a.txt \(changed since, outside of the session\)\. Look at/,
    ),
  });
  expect([await read('a.txt'), await read('b.txt')]).toEqual(['mine\n', 'B\n']);
  await undoEdits({ ...options, force: true });
  expect([await read('a.txt'), await read('b.txt')]).toEqual(['one\n', 'b\n']);
});

test('what a command changed between two edits is not lost silently', async () => {
  const { edit, place, read, options } = await recorded({ 'a.txt': 'one\n' });
  await edit('a.txt', 'one', 'two');
  await writeFile(place('a.txt'), 'two\nby a command\n');
  await edit('a.txt', 'two', 'three');
  expect(await planUndo(options)).toMatchObject([{ conflict: 'changed-between' }]);
  await expect(undoEdits(options)).rejects.toThrow(/changed outside of the session between two edits/);
  await undoEdits({ ...options, force: true });
  expect(await read('a.txt')).toBe('one\n');
});

test('a file that was deleted since is written again when that is forced, with its mode and its folder', async () => {
  const { edit, place, read, options } = await recorded({ 'in/a.sh': 'one\n' });
  await chmod(place('in/a.sh'), 0o750);
  await edit('in/a.sh', 'one', 'two');
  await rm(place('in'), { recursive: true });
  await expect(undoEdits(options)).rejects.toThrow(/in\/a.sh \(changed since/);
  await undoEdits({ ...options, force: true });
  expect(await read('in/a.sh')).toBe('one\n');
  expect((await stat(place('in/a.sh'))).mode & 0o777).toBe(0o750);
});

test('what is no file any more is not touched, forced or not', async () => {
  const { write, edit, place, options, workspace } = await recorded({ 'a.txt': 'one\n', 'in/b.txt': 'b\n' });
  const other = await temporaryWorkspace({ 'b.txt': 'outside\n' });
  await edit('a.txt', 'one', 'two');
  await edit('in/b.txt', 'b', 'B');
  await write('in/c.txt', 'c');
  await rm(place('a.txt'));
  await mkdir(place('a.txt'));
  await rm(place('in'), { recursive: true });
  await symlink(other.root, place('in'));
  const error: unknown = await undoEdits({ ...options, force: true }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    conflicts: ['in/c.txt', 'in/b.txt', 'a.txt'].map((path) => ({ path, conflict: 'not-a-file' })),
  });
  expect(await readFile(join(other.root, 'b.txt'), 'utf8')).toBe('outside\n');
  expect((await readdir(workspace.root)).sort()).toEqual(['a.txt', 'in']);
});

test('a content that is lost or was changed is not restored', async () => {
  const { edit, read, options, directory } = await recorded({ 'a.txt': 'one\n' });
  await edit('a.txt', 'one', 'two');
  const [name = ''] = await readdir(directory);
  await writeFile(join(directory, name), 'something else');
  await expect(undoEdits(options)).rejects.toThrow(FileHistoryError);
  await rm(join(directory, name));
  await expect(undoEdits({ ...options, force: true })).rejects.toThrow(/its old content is not in the history/);
  expect(await read('a.txt')).toBe('two\n');
});

test('events that have the type but not the form change nothing', async () => {
  const { options, events, place } = await recorded({ 'a.txt': 'one\n' });
  for (const fields of [{}, { path: 'a.txt', before: null, after: { digest: '../../x', size: 1, mode: 1 } }]) {
    events.push(createEvent('palimpsest/file-edit', { source: 'environment', actionId: 'a', ...fields }));
  }
  const outside = { digest: 'a'.repeat(64), size: 1, mode: 0o644 };
  events.push(
    createEvent('palimpsest/file-edit', {
      source: 'environment',
      actionId: 'a',
      path: '../x',
      before: null,
      after: outside,
    }),
  );
  expect(fileEdits(events)).toHaveLength(1);
  await expect(undoEdits({ ...options, force: true })).rejects.toThrow(/\.\.\/x \(no longer a regular file\)/);
  expect(await readFile(place('a.txt'), 'utf8')).toBe('one\n');
});

test('a change that cannot be recorded is not made', async () => {
  const { workspace, history, context, read } = await recorded({ 'a.txt': 'one\n' });
  const append = () => Promise.reject(new Error('The call is over.'));
  const tool = editFileTool(workspace, { history });
  const running = tool.execute({ path: 'a.txt', old_text: 'one', new_text: 'two' }, { ...context(), append });
  await expect(running).rejects.toThrow('The call is over.');
  expect(await read('a.txt')).toBe('one\n');
  expect(await readdir(workspace.root)).toEqual(['a.txt']);
});

test('a change that was recorded and then not made is nothing to undo', async () => {
  const { edit, read, events, options, place } = await recorded({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  await edit('a.txt', 'one', 'two');
  await edit('b.txt', 'b', 'B');
  // As after a kill between the record and the change.
  await writeFile(place('a.txt'), 'one\n');
  await edit('a.txt', 'one', 'three');
  await writeFile(place('b.txt'), 'b\n');
  expect((await planUndo(options)).map(({ path, action, conflict }) => [path, action, conflict])).toEqual([
    ['a.txt', 'restore', undefined],
    ['b.txt', 'none', undefined],
  ]);
  await undoEdits(options);
  expect(await read('a.txt')).toBe('one\n');
  expect(events).toHaveLength(3);
});

test('a process that is killed in the middle of its edits leaves nothing that cannot be undone', async () => {
  const { workspace, directory, history } = await recorded({ 'a.txt': 'version 0\n' });
  const log = join(directory, '../log.jsonl');
  const source = new URL('../index.js', import.meta.url).pathname;
  const script = `
    import { appendFileSync } from 'node:fs';
    import { editFileTool, fileHistory, openWorkspace } from ${JSON.stringify(source)};
    const [root, directory, log] = process.argv.slice(-3);
    const tool = editFileTool(await openWorkspace(root), { history: fileHistory({ directory }) });
    const append = async (event) => appendFileSync(log, JSON.stringify(event) + '\\n');
    for (let version = 0; ; version++) {
      const input = { path: 'a.txt', old_text: 'version ' + version, new_text: 'version ' + (version + 1) };
      await tool.execute(input, { actionId: 'a', toolCallId: 'c', log: [], event: () => undefined, append });
      process.stdout.write('.');
    }`;
  const args = ['--conditions', '@palimpsest/source', '--import', 'tsx', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, [...args, workspace.root, directory, log], {
    cwd: new URL('..', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let edits = 0;
  for await (const text of child.stdout) {
    edits += (text as Buffer).length;
    if (edits > 20) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const events = (await readFile(log, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => parseEvent(JSON.parse(line)));
  expect(events.length).toBeGreaterThan(20);
  expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toMatch(/^version \d\d+\n$/);
  await undoEdits({ workspace, history, events });
  expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toBe('version 0\n');
});

test('folders that were made for files go with the last of these, in whatever order they were changed', async () => {
  const { write, options, workspace } = await recorded();
  await write('new/deep/a.txt', 'a\n');
  await write('new/deep/b.txt', 'b\n');
  await write('new/deep/a.txt', 'A\n');
  await undoEdits(options);
  expect(await readdir(workspace.root)).toEqual([]);
});

test('a folder that is left of an undo that was cut off goes when it is repeated', async () => {
  const { write, options, place, workspace } = await recorded();
  await write('new/a.txt', 'a\n');
  await rm(place('new/a.txt'));
  await undoEdits(options);
  expect(await readdir(workspace.root)).toEqual([]);
});

test('changes of one file that are asked for at the same time are made one after the other, and undone', async () => {
  const { write, edit, read, options } = await recorded({ 'a.txt': 'one two three four\n' });
  const words = ['one', 'two', 'three', 'four'];
  await Promise.all(words.map((word) => edit('a.txt', word, word.toUpperCase())));
  expect(await read('a.txt')).toBe('ONE TWO THREE FOUR\n');
  await Promise.allSettled([edit('a.txt', 'absent', ''), write('new.txt', '1\n'), write('new.txt', '2\n')]);
  expect(await read('new.txt')).toBe('2\n');
  expect(await undoEdits(options)).toHaveLength(2);
  expect(await read('a.txt')).toBe('one two three four\n');
});
