import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noContext, temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { textAfter, previewChange } from './preview.js';
import { workspaceTools } from '../workspace-tools.js';

const edit = (path: string, old_text: string, new_text: string, replace_all?: boolean) => ({
  toolName: 'edit_file',
  input: { path, old_text, new_text, ...(replace_all === undefined ? {} : { replace_all }) },
});
const write = (path: string, content: string) => ({ toolName: 'write_file', input: { path, content } });

test('what a call would change is what it changes then, and looking changes nothing', async () => {
  const calls = [
    edit('a.txt', 'two', 'deux'),
    edit('crlf.txt', 'one\ntwo', 'eins\nzwei'),
    edit('twice.txt', 'x', 'y', true),
    write('a.txt', 'new\n'),
    write('new/folder/b.txt', 'b\n'),
  ];
  for (const call of calls) {
    const files = { 'a.txt': 'one\ntwo\n', 'crlf.txt': 'one\r\ntwo\r\n', 'twice.txt': 'x x\n' };
    const workspace = await temporaryWorkspace(files);
    const { path } = call.input;
    const preview = await previewChange(workspace, call);
    expect(preview).toMatchObject({ path, before: (files as Record<string, string>)[path] });
    expect((await readdir(workspace.root)).sort()).toEqual(Object.keys(files).sort());
    const tool = workspaceTools(workspace).find(({ name }) => name === call.toolName);
    await tool?.execute(call.input, noContext);
    expect(await readFile(join(workspace.root, path), 'utf8')).toBe(preview?.after);
  }
});

test('a call that would fail has no preview', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': 'x x', 'b.bin': '\0', 'long.txt': 'x'.repeat(100) });
  const calls = [
    edit('a.txt', 'x', 'y'),
    edit('a.txt', 'z', 'y'),
    edit('none.txt', 'x', 'y'),
    edit('../a.txt', 'x', 'y'),
    edit('.', 'x', 'y'),
    write('b.bin', 'text'),
    write('../outside.txt', 'text'),
    write('a.txt/below.txt', 'text'),
    { toolName: 'edit_file', input: { path: 7 } },
    { toolName: 'run_command', input: { command: 'ls' } },
  ];
  for (const call of calls) expect(await previewChange(workspace, call), JSON.stringify(call)).toBeUndefined();
  expect(await previewChange(workspace, write('long.txt', ''), { maxBytes: 50 })).toBeUndefined();
});

test('the text after a call, from the text before it', () => {
  expect(textAfter(edit('a', 'x', 'y'), 'a x b')).toBe('a y b');
  expect(textAfter(edit('a', 'x', 'y'), undefined)).toBeUndefined();
  expect(textAfter(write('a', 'new'), undefined)).toBe('new');
  expect(textAfter({ toolName: 'write_file', input: {} }, 'x')).toBeUndefined();
});
