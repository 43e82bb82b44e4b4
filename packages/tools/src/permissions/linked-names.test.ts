import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { linkedNames } from './linked-names.js';
import { permissions } from './permissions.js';

test('a link is judged by where it leads to, also below it and where nothing is yet', async () => {
  const { root } = await temporaryWorkspace({ '.env': 'x', 'src/a.ts': '' });
  await symlink('../.env', join(root, 'src/link'));
  await symlink('../config', join(root, 'src/later'));
  await mkdir(join(root, 'private'));
  await symlink('../private', join(root, 'src/folder'));
  await symlink('/etc', join(root, 'src/etc'));
  await symlink('circle', join(root, 'src/circle'));
  const { decide } = permissions({ allow: ['edit_file(src/**)'], root, otherNames: linkedNames(root) });
  const outcome = (path: string) => decide({ toolName: 'edit_file', input: { path } }).outcome;
  expect(outcome('src/a.ts')).toBe('allow');
  expect(outcome('src/new/b.ts')).toBe('allow');
  for (const path of ['src/link', 'src/later', 'src/later/x', 'src/folder/x', 'src/etc/x', 'src/circle']) {
    expect([path, outcome(path)]).toEqual([path, undefined]);
  }
});
