import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, link, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Tool } from '@palimpsest/events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { noContext, temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { editFileTool } from '../files/edit-file.js';
import { OutsideWorkspaceError, PathChangedError, UnusableFileError, openWorkspace } from './workspace.js';
import { listFilesTool } from '../files/list-files.js';
import { openFolder, atPlace, openAt, replaceAt, withFile } from './open-file.js';
import { readFileTool } from '../files/read-file.js';
import type { Workspace } from './workspace.js';
import { writeFileTool } from '../files/write-file.js';

async function call(tool: Tool, input: object): Promise<string> {
  const output = await tool.execute(tool.parseInput(input), noContext);
  return (output as { content: string }).content;
}

const read = (workspace: Workspace, path: string) => call(readFileTool(workspace), { path });
const write = (workspace: Workspace, path: string, content: string) =>
  call(writeFileTool(workspace), { path, content });
const edit = (workspace: Workspace, path: string, old_text: string, new_text: string) =>
  call(editFileTool(workspace), { path, old_text, new_text });
const list = (workspace: Workspace, path = '.') => call(listFilesTool(workspace), { path });

const onLinux = test.runIf(process.platform === 'linux');

describe('what is no regular file is refused at once', () => {
  test('a FIFO that nobody writes to', async () => {
    const workspace = await temporaryWorkspace();
    execFileSync('mkfifo', [join(workspace.root, 'pipe')]);
    await expect(read(workspace, 'pipe')).rejects.toThrow(/'pipe' is a FIFO, and not a regular file/);
    await expect(write(workspace, 'pipe', 'x')).rejects.toThrow(/is a FIFO/);
    await expect(edit(workspace, 'pipe', 'x', 'y')).rejects.toThrow(/is a FIFO/);
    await expect(list(workspace, 'pipe')).rejects.toThrow(/is a file/);
    expect(await list(workspace)).toBe('pipe [a FIFO]');
    expect((await lstat(join(workspace.root, 'pipe'))).isFIFO()).toBe(true);
  });

  test('a socket', async () => {
    const workspace = await temporaryWorkspace();
    const server = createServer().listen(join(workspace.root, 's'));
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    await expect(read(workspace, 's')).rejects.toThrow(/is a socket/);
    expect(await list(workspace)).toBe('s [a socket]');
  });

  test.each(['/dev/zero', '/proc/self/environ', '/proc/self/fd', '/dev/stdin'])('a link to %s', async (target) => {
    const workspace = await temporaryWorkspace();
    await symlink(target, join(workspace.root, 'link'));
    await expect(read(workspace, 'link')).rejects.toThrow(/outside the workspace|does not exist|cannot be used/);
    await expect(write(workspace, 'link', 'x')).rejects.toThrow(/outside the workspace|does not exist|cannot be used/);
    expect(await list(workspace)).toBe('link [a link]');
  });

  onLinux('a device, also where the workspace holds it', async () => {
    const workspace = await openWorkspace('/dev');
    await expect(read(workspace, 'zero')).rejects.toThrow(/'zero' is a device/);
    await expect(write(workspace, 'null', 'x')).rejects.toThrow(/'null' is a device/);
  });
});

describe('links', () => {
  test('a write through a link inside changes its target, and leaves the link', async () => {
    const workspace = await temporaryWorkspace({ 'real/a.txt': 'one\n' });
    await symlink('real/a.txt', join(workspace.root, 'link'));
    expect(await edit(workspace, 'link', 'one', 'two')).toMatch(/^Edited real\/a.txt/);
    expect((await lstat(join(workspace.root, 'link'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(workspace.root, 'real/a.txt'), 'utf8')).toBe('two\n');
  });

  test('links in a circle, and a path below a file', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': 'x' });
    await symlink('b', join(workspace.root, 'c'));
    await symlink('c', join(workspace.root, 'b'));
    await expect(read(workspace, 'b')).rejects.toThrow("'b' is a circle of symbolic links.");
    await expect(write(workspace, 'b/x', '')).rejects.toThrow(UnusableFileError);
    await expect(read(workspace, 'a.txt/b')).rejects.toThrow(/lies below a file/);
    await expect(write(workspace, 'a.txt/b', '')).rejects.toThrow(/lies below a file/);
    await expect(read(workspace, `${'n'.repeat(300)}`)).rejects.toThrow(/name that is too long/);
    await expect(read(workspace, 'a/'.repeat(50_000))).rejects.toThrow(/name that is too long/);
    await expect(read(workspace, 'a\0b')).rejects.toThrow(/NUL/);
    await expect(write(workspace, '.', '')).rejects.toThrow(/is a folder/);
  });

  test('a workspace that is reached by a link works, also by its own name', async () => {
    const [real, other] = [await temporaryWorkspace({ 'a.txt': 'x\n' }), await temporaryWorkspace()];
    const alias = join(other.root, 'alias');
    await symlink(real.root, alias);
    const workspace = await openWorkspace(alias);
    expect(workspace.root).toBe(real.root);
    expect(await read(workspace, 'a.txt')).toBe('1\tx');
    expect(await read(workspace, join(alias, 'a.txt'))).toBe('1\tx');
    expect(await write(workspace, join(alias, 'new/b.txt'), 'y')).toBe('Created new/b.txt (1 lines).');
    expect(workspace.neutral(`${alias}/a.txt and ${real.root}/b`)).toBe('a.txt and b');
    await expect(read(workspace, join(other.root, 'x'))).rejects.toThrow(OutsideWorkspaceError);
  });

  test('a hard link is not written through: the other name keeps its content, and the result says so', async () => {
    const [workspace, other] = [await temporaryWorkspace(), await temporaryWorkspace({ 'shared.txt': 'one\n' })];
    await link(join(other.root, 'shared.txt'), join(workspace.root, 'a.txt'));
    expect(await write(workspace, 'a.txt', 'two\n')).toBe(
      'Replaced a.txt (1 lines). The file has another name (a hard link), which keeps the old content.',
    );
    expect(await readFile(join(other.root, 'shared.txt'), 'utf8')).toBe('one\n');
    expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toBe('two\n');
  });
});

describe('what is swapped for a link while a tool works', () => {
  onLinux('a folder: what was opened goes on to be used, and nothing outside is', async () => {
    const [workspace, other] = [
      await temporaryWorkspace({ 'in/a.txt': 'mine\n' }),
      await temporaryWorkspace({ 'a.txt': 'secret\n' }),
    ];
    await atPlace(workspace, 'in/a.txt', async (place) => {
      await rename(join(workspace.root, 'in'), join(workspace.root, 'moved'));
      await symlink(other.root, join(workspace.root, 'in'));
      const file = await openAt(place);
      expect(await file?.handle.readFile('utf8')).toBe('mine\n');
      await file?.handle.close();
      await replaceAt(place, 'changed\n', { before: file?.status });
    });
    expect(await readFile(join(workspace.root, 'moved/a.txt'), 'utf8')).toBe('changed\n');
    expect(await readFile(join(other.root, 'a.txt'), 'utf8')).toBe('secret\n');
  });

  test('a folder, before it is opened', async () => {
    const [workspace, other] = [
      await temporaryWorkspace({ 'x/in/a.txt': '' }),
      await temporaryWorkspace({ 'in/a.txt': 'secret\n' }),
    ];
    const real = join(workspace.root, 'x/in');
    await rename(join(workspace.root, 'x'), join(workspace.root, 'y'));
    await symlink(other.root, join(workspace.root, 'x'));
    await expect(openFolder(workspace, real)).rejects.toThrow(PathChangedError);
    await rm(join(workspace.root, 'x'));
    await mkdir(join(workspace.root, 'x'));
    await symlink(join(other.root, 'in'), real);
    await expect(openFolder(workspace, real)).rejects.toThrow(PathChangedError);
  });

  test('the file itself', async () => {
    const [workspace, other] = [
      await temporaryWorkspace({ 'a.txt': 'mine\n' }),
      await temporaryWorkspace({ 'a.txt': 'secret\n' }),
    ];
    await atPlace(workspace, 'a.txt', async (place) => {
      await rm(join(workspace.root, 'a.txt'));
      await symlink(join(other.root, 'a.txt'), join(workspace.root, 'a.txt'));
      await expect(openAt(place)).rejects.toThrow(PathChangedError);
      await expect(replaceAt(place, 'x', { before: undefined })).rejects.toThrow(PathChangedError);
    });
    expect(await readdir(workspace.root)).toEqual(['a.txt']);
    expect(await readFile(join(other.root, 'a.txt'), 'utf8')).toBe('secret\n');
  });

  onLinux('over and over, by another process: nothing from outside is ever read or written', async () => {
    const [workspace, other] = [
      await temporaryWorkspace({ 'in/a.txt': 'mine\n' }),
      await temporaryWorkspace({ 'a.txt': 'secret\n' }),
    ];
    const script = `
      const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
      const [root, outside, tests] = process.argv.slice(1);
      process.stdout.write('ready');
      // It ends with the tests, also where they are killed.
      while (process.ppid === Number(tests)) {
        renameSync(root + '/in', root + '/away');
        symlinkSync(outside, root + '/in');
        unlinkSync(root + '/in');
        renameSync(root + '/away', root + '/in');
      }`;
    const child = spawn(process.execPath, ['-e', script, workspace.root, other.root, String(process.pid)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const seen = new Set<string>();
    for (let round = 0; round < 400; round++) {
      seen.add(await read(workspace, 'in/a.txt').catch((error: Error) => error.name));
      seen.add(await list(workspace, 'in').catch((error: Error) => error.name));
      // No folder is made for an edit, which would end the other process.
      await edit(workspace, 'in/a.txt', '\n', '!\n').catch(() => undefined);
    }
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect([...seen].join('\n')).not.toContain('secret');
    expect(await readdir(other.root)).toEqual(['a.txt']);
    expect(await readFile(join(other.root, 'a.txt'), 'utf8')).toBe('secret\n');
  });
});

describe('writes', () => {
  test('keep the mode, and leave no temporary file', async () => {
    const workspace = await temporaryWorkspace({ 'run.sh': 'one\n' });
    await chmod(join(workspace.root, 'run.sh'), 0o751);
    await edit(workspace, 'run.sh', 'one', 'two');
    expect((await stat(join(workspace.root, 'run.sh'))).mode & 0o777).toBe(0o751);
    await write(workspace, 'run.sh', 'three\n');
    expect((await stat(join(workspace.root, 'run.sh'))).mode & 0o777).toBe(0o751);
    expect(await readdir(workspace.root)).toEqual(['run.sh']);
  });

  test('are whole: a reader sees the old content or the new one', async () => {
    const [before, after] = ['a'.repeat(300_000), 'b'.repeat(300_000)];
    const workspace = await temporaryWorkspace({ 'a.txt': before });
    const writing = write(workspace, 'a.txt', after);
    let isDone = false;
    void writing.then(() => (isDone = true));
    while (!isDone) expect([before, after]).toContain(await readFile(join(workspace.root, 'a.txt'), 'utf8'));
  });

  test('do not overwrite what another program wrote meanwhile', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': 'one\n' });
    await atPlace(workspace, 'a.txt', async (place) => {
      const status = await withFile(workspace, 'a.txt', async (file) => file.status);
      await writeFile(join(workspace.root, 'a.txt'), 'by another\n');
      await expect(replaceAt(place, 'two\n', { before: status })).rejects.toThrow(/changed by another program/);
    });
    expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toBe('by another\n');
    expect(await readdir(workspace.root)).toEqual(['a.txt']);
  });

  test('keep a byte order mark, which a model does not see', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': '\ufeffone\n' });
    await write(workspace, 'a.txt', 'two\n');
    expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toBe('\ufefftwo\n');
    await write(workspace, 'a.txt', '\ufeffthree\n');
    expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toBe('\ufeffthree\n');
  });

  test('that change nothing touch nothing', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': 'one\n' });
    const before = await stat(join(workspace.root, 'a.txt'));
    expect(await write(workspace, 'a.txt', 'one\n')).toBe('Nothing was changed in a.txt (1 lines).');
    expect((await stat(join(workspace.root, 'a.txt'))).ino).toBe(before.ino);
  });
});

describe('names', () => {
  test('with line breaks, escapes and hidden characters stand on one line, and can be read', async () => {
    const workspace = await temporaryWorkspace({
      'a\nb.txt (9 bytes)': 'x\n',
      'c\u001b]0;evil\u0007': '',
      'd\u202etxt.exe': '',
    });
    expect(await list(workspace)).toBe(
      '"a\\nb.txt (9 bytes)" (2 bytes)\n"c\\u001b]0;evil\\u0007" (0 bytes)\n"d\\u202etxt.exe" (0 bytes)',
    );
    expect(await read(workspace, 'a\nb.txt (9 bytes)')).toBe('1\tx');
  });

  test('of bytes that are not UTF-8 are shown, and their folders are not entered', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': '' });
    const named = (name: string) => Buffer.concat([Buffer.from(`${workspace.root}/`), Buffer.from(name, 'latin1')]);
    await writeFile(named('café.txt'), 'x');
    await mkdir(named('é'));
    await writeFile(named('é/b'), 'x');
    expect(await list(workspace)).toBe('a.txt (0 bytes)\n"caf\\xe9.txt" [its name is not UTF-8]\n"\\xe9"/');
  });

  test('many entries: the deepest levels are left out first', async () => {
    const files = Object.fromEntries(Array.from({ length: 450 }, (_, index) => [`a/${index}.txt`, '']));
    const workspace = await temporaryWorkspace({ ...files, 'z.txt': '' });
    expect(await list(workspace)).toBe('a/\nz.txt (0 bytes)\n[450 more, shown to depth 1; list a folder of its own]');
    expect((await list(workspace, 'a')).split('\n')).toHaveLength(401);
  });
});
