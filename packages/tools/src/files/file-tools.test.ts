import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from '@palimpsest/events';
import { describe, expect, test } from 'vitest';
import { noContext, temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import type { Workspace } from '../workspace/workspace.js';
import { workspaceTools } from '../index.js';
import { listFilesTool } from './list-files.js';
import { readFileTool } from './read-file.js';
import { searchTool } from '../search/search.js';
import { writeFileTool } from './write-file.js';

const files = {
  'README.md': '# Title\n',
  'src/a.js': 'const a = 1;\nexport const b = a + 1;\n',
  'src/deep/c.js': 'import { b } from "../a.js";\n',
  'node_modules/x/index.js': 'const a = 1;\n',
  'picture.bin': 'a\0b',
};

async function call(make: (workspace: Workspace) => Tool, input: object): Promise<string> {
  const tool = make(await temporaryWorkspace(files));
  const output = await tool.execute(tool.parseInput(input), noContext);
  return (typeof output === 'string' ? output : output.content) as string;
}

describe('read_file', () => {
  test('numbers the lines', async () => {
    expect(await call(readFileTool, { path: 'src/a.js' })).toBe('1\tconst a = 1;\n2\texport const b = a + 1;');
    expect(await call(readFileTool, { path: 'src/a.js', start_line: 2 })).toBe('2\texport const b = a + 1;');
  });

  test('says that there is more, and where to go on', async () => {
    const workspace = await temporaryWorkspace({
      'long.txt': Array.from({ length: 1_000 }, (_, line) => line + 1).join('\n'),
    });
    const tool = readFileTool(workspace);
    const output = await tool.execute({ path: 'long.txt' }, noContext);
    expect(output).toMatchObject({
      content: expect.stringMatching(/^ {2}1\t1\n[\s\S]*\n400\t400\n\[600 more lines; go on at start_line 401\]$/),
      details: { startLine: 1, endLine: 400, totalLines: 1_000 },
    });
  });

  test.each([
    [{ path: 'src/b.js' }, /no file 'src\/b.js'/],
    [{ path: 'src' }, /is a folder/],
    [{ path: 'picture.bin' }, /not a text file/],
    [{ path: 'src/a.js', start_line: 9 }, /has 2 lines/],
    [{ path: 'src/a.js', start_line: 2, end_line: 1 }, /is before/],
    [{ path: '../secret' }, /outside the workspace/],
  ])('refuses %j', async (input, message) => {
    await expect(call(readFileTool, input)).rejects.toThrow(message);
  });
});

describe('list_files', () => {
  test('lists what people wrote, with sizes', async () => {
    expect(await call(listFilesTool, {})).toBe(
      'README.md (8 bytes)\npicture.bin (3 bytes)\nsrc/\nsrc/a.js (37 bytes)\nsrc/deep/\nsrc/deep/c.js (29 bytes)',
    );
  });

  test('stops at a depth', async () => {
    expect(await call(listFilesTool, { path: 'src', depth: 1 })).toBe('src/a.js (37 bytes)\nsrc/deep/');
  });

  test('refuses what is no folder', async () => {
    await expect(call(listFilesTool, { path: 'README.md' })).rejects.toThrow(/is a file/);
    await expect(call(listFilesTool, { path: 'lib' })).rejects.toThrow(/no folder 'lib'/);
  });
});

describe('search', () => {
  test('finds lines', async () => {
    expect(await call(searchTool, { pattern: '\\bb\\b' })).toBe(
      'src/a.js:2: export const b = a + 1;\nsrc/deep/c.js:1: import { b } from "../a.js";',
    );
  });

  test('in one file, without case, and not more than asked for', async () => {
    expect(await call(searchTool, { pattern: 'CONST', path: 'src/a.js', ignore_case: true, max_results: 1 })).toBe(
      'src/a.js:1: const a = 1;\n[1 more matches; narrow the pattern or the path]',
    );
  });

  test('cuts a long line between characters', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': `x${'😀'.repeat(400)}` });
    const tool = searchTool(workspace);
    const { content } = (await tool.execute(tool.parseInput({ pattern: 'x' }), noContext)) as { content: string };
    expect(content).toBe(`a.txt:1: x${'😀'.repeat(149)}`);
  });

  test('says that there is nothing, and what is wrong with a pattern', async () => {
    expect(await call(searchTool, { pattern: 'nowhere' })).toBe("Nothing matches /nowhere/ in '.'.");
    await expect(call(searchTool, { pattern: '(' })).rejects.toThrow(
      /^\/\(\/ is no regular expression that the search takes \(.*\)\. Escape what is meant literally\.$/,
    );
    await expect(call(searchTool, { pattern: 'a', path: 'lib' })).rejects.toThrow(/no file or folder 'lib'/);
  });
});

describe('write_file', () => {
  test('makes folders, and says whether the file was new', async () => {
    const workspace = await temporaryWorkspace();
    const tool = writeFileTool(workspace);
    const write = (content: string) => tool.execute({ path: 'new/folder/x.txt', content }, noContext);
    expect(await write('one\n')).toMatchObject({ content: 'Created new/folder/x.txt (1 lines).' });
    expect(await write('two\nthree\n')).toMatchObject({ content: 'Replaced new/folder/x.txt (2 lines).' });
    expect(await readFile(join(workspace.root, 'new/folder/x.txt'), 'utf8')).toBe('two\nthree\n');
  });

  test('refuses a folder, and what lies outside', async () => {
    await expect(call(writeFileTool, { path: 'src', content: '' })).rejects.toThrow(/is a folder/);
    await expect(call(writeFileTool, { path: '/tmp/x', content: '' })).rejects.toThrow(/outside the workspace/);
  });
});

test('write_file does not leave the workspace by a link whose target does not exist', async () => {
  const [workspace, other] = [await temporaryWorkspace(), await temporaryWorkspace()];
  await symlink(join(other.root, 'outside.txt'), join(workspace.root, 'link'));
  await expect(writeFileTool(workspace).execute({ path: 'link', content: 'x' }, noContext)).rejects.toThrow(
    /target does not exist/,
  );
  expect(await readdir(other.root)).toEqual([]);
});

test('every tool describes each of its inputs to the model', async () => {
  const undescribed = workspaceTools(await temporaryWorkspace()).flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties as Record<string, { description?: string }>)
      .filter(([, property]) => property.description === undefined)
      .map(([property]) => `${name}.${property}`),
  );
  expect(undescribed).toEqual([]);
});
