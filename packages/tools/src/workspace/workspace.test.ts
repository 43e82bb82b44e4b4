import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { DanglingLinkError, OutsideWorkspaceError } from './workspace.js';

test('paths inside are resolved, also of files that are not there yet', async () => {
  const workspace = await temporaryWorkspace({ 'src/a.js': '' });
  expect(await workspace.resolve('src/a.js')).toBe(join(workspace.root, 'src/a.js'));
  expect(await workspace.resolve('new/folder/b.js')).toBe(join(workspace.root, 'new/folder/b.js'));
  expect(await workspace.resolve('.')).toBe(workspace.root);
  expect(await workspace.resolve(join(workspace.root, 'src/a.js'))).toBe(join(workspace.root, 'src/a.js'));
  expect(await workspace.resolve('..name/c.js')).toBe(join(workspace.root, '..name/c.js'));
});

test.each(['..', '../x', 'src/../../x', '/etc/passwd', 'src/../../..'])('%s is refused', async (path) => {
  const workspace = await temporaryWorkspace({ 'src/a.js': '' });
  await expect(workspace.resolve(path)).rejects.toThrow(OutsideWorkspaceError);
});

test('a folder whose name only begins like the workspace is outside', async () => {
  const workspace = await temporaryWorkspace();
  await expect(workspace.resolve(`${workspace.root}-other/x`)).rejects.toThrow(OutsideWorkspaceError);
});

test('a link that leads out is refused, also for files that are not there yet', async () => {
  const [workspace, other] = [await temporaryWorkspace(), await temporaryWorkspace({ 'secret.txt': 'x' })];
  await symlink(other.root, join(workspace.root, 'out'));
  await expect(workspace.resolve('out/secret.txt')).rejects.toThrow(OutsideWorkspaceError);
  await expect(workspace.resolve('out/new.txt')).rejects.toThrow(OutsideWorkspaceError);
});

test('a link whose target does not exist is refused, and so is what lies below it', async () => {
  const [workspace, other] = [await temporaryWorkspace(), await temporaryWorkspace()];
  await symlink(join(other.root, 'absent'), join(workspace.root, 'link'));
  await symlink('link', join(workspace.root, 'second'));
  for (const path of ['link', 'second', 'link/new.txt']) {
    await expect(workspace.resolve(path)).rejects.toThrow(DanglingLinkError);
  }
});

test('a link that stays inside is followed', async () => {
  const workspace = await temporaryWorkspace();
  await mkdir(join(workspace.root, 'real'));
  await writeFile(join(workspace.root, 'real/a.txt'), 'x');
  await symlink('real', join(workspace.root, 'link'));
  expect(await workspace.resolve('link/a.txt')).toBe(join(workspace.root, 'link/a.txt'));
});

test('the place on this machine is taken out of texts', async () => {
  const workspace = await temporaryWorkspace();
  const text = `at file://${workspace.root}/src/a.js:3:1\n${workspace.root}/src/b.js\ncwd: ${workspace.root}`;
  expect(workspace.neutral(text)).toBe('at src/a.js:3:1\nsrc/b.js\ncwd: .');
});
