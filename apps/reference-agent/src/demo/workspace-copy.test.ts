import { spawnSync } from 'node:child_process';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test-support/folders.js';
import { copyWorkspace } from './workspace-copy.js';

async function folders(): Promise<{ readonly project: string; readonly parent: string }> {
  const folder = await temporaryFolder({ 'project/a.txt': 'a' });
  const [project, parent] = [join(folder, 'project'), join(folder, 'parent')];
  await mkdir(parent);
  return { project, parent };
}

/** The id of a process that has ended. */
const ended = (): number => spawnSync(process.execPath, ['-e', '']).pid;
const machine = hostname().replace(/\W/g, '_');

test('the copy goes when it is removed', async () => {
  const { project, parent } = await folders();
  const copy = await copyWorkspace(project, parent);
  expect(await readdir(copy.workspace.root)).toEqual(['a.txt']);
  await copy.remove();
  expect(await readdir(parent)).toEqual([]);
});

test('copies of ended processes are removed; those of living ones, of other machines and other things stay', async () => {
  const { project, parent } = await folders();
  const dead = ended();
  const others = [
    `palimpsest-demo-${machine}-${process.ppid}-aaaaaa`,
    `palimpsest-demo-elsewhere-${dead}-aaaaaa`,
    `palimpsest-demo-${machine}-${dead}-link`,
    'palimpsest-demo-abcdef',
    'something',
  ];
  for (const name of others) await mkdir(join(parent, name)).catch(() => undefined);
  await rm(join(parent, others[2] ?? ''), { recursive: true });
  await symlink(project, join(parent, others[2] ?? ''));
  await mkdir(join(parent, `palimpsest-demo-${machine}-${dead}-aaaaaa`, 'deep'), { recursive: true });

  const copy = await copyWorkspace(project, parent);
  expect((await readdir(parent)).sort()).toEqual([...others, basename(copy.folder)].sort());
  expect(await readdir(project)).toEqual(['a.txt']);
});

test('a folder for temporary files that is missing is told', async () => {
  const { project, parent } = await folders();
  const copied = copyWorkspace(project, join(parent, 'missing'));
  await expect(copied).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(/TMPDIR/) as string });
});

test('what could not be copied leaves nothing', async () => {
  const { project, parent } = await folders();
  await expect(copyWorkspace(join(project, 'missing'), parent)).rejects.toThrow(/ENOENT/);
  expect(await readdir(parent)).toEqual([]);
});
