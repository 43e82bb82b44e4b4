import { open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noContext, temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { readFileTool } from './read-file.js';
import type { Workspace } from '../workspace/workspace.js';

async function read(workspace: Workspace, input: object, context: object = {}) {
  const tool = readFileTool(workspace);
  const output = await tool.execute(tool.parseInput({ path: 'a.txt', ...input }), { ...noContext, ...context });
  return output as { readonly content: string; readonly details: object };
}

test('a long line is cut, and says how long it is', async () => {
  const workspace = await temporaryWorkspace({
    'a.txt': `${'x'.repeat(3_000)}\nshort\n${'é'.repeat(100_000)}\n😀${'y'.repeat(1_998)}😀z\n`,
  });
  const { content } = await read(workspace, {});
  expect(content.split('\n')).toEqual([
    `1\t${'x'.repeat(2_000)} [… the line has 3000 characters]`,
    '2\tshort',
    `3\t${'é'.repeat(2_000)} [… the line has 200000 bytes]`,
    `4\t😀${'y'.repeat(1_998)} [… the line has 2003 characters]`,
  ]);
});

test('a CRLF file is shown without its CR, and a byte order mark is not shown', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': '\ufeffone\r\ntwo\r\n', 'mixed.txt': 'one\r\ntwo\n' });
  expect((await read(workspace, {})).content).toBe('1\tone\n2\ttwo\n[line breaks are CRLF; edit_file keeps them]');
  expect((await read(workspace, { path: 'mixed.txt' })).content).toBe('1\tone\n2\ttwo');
});

test.each([
  ['', '[the file is empty]', 0],
  ['\n', '1\t', 1],
  ['one', '1\tone', 1],
  ['one\n\ntwo', '1\tone\n2\t\n3\ttwo', 3],
])('counts the lines of %j', async (text, content, totalLines) => {
  const workspace = await temporaryWorkspace({ 'a.txt': text });
  expect(await read(workspace, {})).toMatchObject({ content, details: { totalLines } });
});

test('lines that lie over the borders of what is read at once are whole', async () => {
  const line = 'é'.repeat(10);
  const workspace = await temporaryWorkspace({ 'a.txt': `x${`${line}\n`.repeat(20_000)}` });
  const { content, details } = await read(workspace, { start_line: 3_000, end_line: 3_399 });
  expect(details).toMatchObject({ totalLines: 20_000 });
  expect(content.split('\n')).toEqual(Array.from({ length: 400 }, (_, index) => `${3_000 + index}\t${line}`));
});

test('of a file of gigabytes only a part is read', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': 'one\ntwo\n'.repeat(2_000_000) });
  // The rest is a hole of zeros, which would be no text, and which nobody comes to.
  await truncate(join(workspace.root, 'a.txt'), 8_000_000_000);
  const { content, details } = await read(workspace, { end_line: 2 });
  expect(content).toBe('1\tone\n2\ttwo');
  expect(details).toEqual({ path: 'a.txt', startLine: 1, endLine: 2 });
  expect((await read(workspace, {})).content).toMatch(/\[at least \d{7} more lines; go on at start_line 401\]$/);
});

test('stays within what the caller shows', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': `${'x'.repeat(99)}\n`.repeat(300) });
  const { content } = await read(workspace, {}, { maxOutputCharacters: 5_000 });
  expect(content.length).toBeLessThanOrEqual(5_000);
  expect(content).toMatch(/\n\[\d+ more lines; go on at start_line \d+\]$/);
});

test('stops when it is told to', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': 'x\n' });
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(read(workspace, {}, { signal })).rejects.toThrow('enough');
});

test('says what kind of file it does not show', async () => {
  const workspace = await temporaryWorkspace();
  await writeFile(join(workspace.root, 'utf16.txt'), Buffer.from('\ufeffone\n', 'utf16le'));
  await writeFile(join(workspace.root, 'latin1.txt'), Buffer.from('é\n', 'latin1'));
  const late = await open(join(workspace.root, 'late.bin'), 'w');
  await late.write(`${'x\n'.repeat(40_000)}\0`);
  await late.close();
  await expect(read(workspace, { path: 'utf16.txt' })).rejects.toThrow(/not UTF-8 text: it seems to be UTF-16/);
  await expect(read(workspace, { path: 'latin1.txt' })).rejects.toThrow(/'latin1.txt' is not UTF-8 text/);
  await expect(read(workspace, { path: 'late.bin' })).rejects.toThrow(/'late.bin' is not a text file/);
});
