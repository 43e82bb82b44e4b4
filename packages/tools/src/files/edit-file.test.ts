import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noContext, temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { editFileTool } from './edit-file.js';

const source = 'one\n  two\nthree\ntwo again\nfour\n';

async function edit(input: object) {
  const workspace = await temporaryWorkspace({ 'a.txt': source });
  const tool = editFileTool(workspace);
  const output = await tool.execute(tool.parseInput({ path: 'a.txt', ...input }), noContext);
  return { output, text: await readFile(join(workspace.root, 'a.txt'), 'utf8') };
}

test('replaces the text, and shows the lines around it', async () => {
  const { output, text } = await edit({ old_text: 'three\n', new_text: 'THREE\nand a half\n' });
  expect(text).toBe('one\n  two\nTHREE\nand a half\ntwo again\nfour\n');
  expect(output).toMatchObject({
    content: expect.stringContaining('3\tTHREE\n4\tand a half\n5\ttwo again'),
    details: { line: 3 },
  });
});

test('takes the new text as it is: no pattern, no dollar signs', async () => {
  const { text } = await edit({ old_text: 'three', new_text: "$& $1 $'" });
  expect(text).toContain("\n$& $1 $'\n");
});

test('can delete', async () => {
  expect((await edit({ old_text: 'one\n', new_text: '' })).text).toBe(source.slice(4));
});

test('leaves a file alone that is not UTF-8, and says why', async () => {
  const workspace = await temporaryWorkspace();
  const latin1 = Buffer.from('caf\u00e9\nprice 1\n', 'latin1');
  await writeFile(join(workspace.root, 'a.txt'), latin1);
  const running = editFileTool(workspace).execute({ path: 'a.txt', old_text: '1', new_text: '2' }, noContext);
  await expect(running).rejects.toThrow(/'a.txt' is not UTF-8/);
  expect(await readFile(join(workspace.root, 'a.txt'))).toEqual(latin1);
});

test('keeps a byte order mark', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': '\ufeffone\n' });
  await editFileTool(workspace).execute({ path: 'a.txt', old_text: 'one', new_text: 'two' }, noContext);
  expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toBe('\ufefftwo\n');
});

test.each([
  ['not there', { old_text: 'five', new_text: 'x' }, /not in 'a.txt'\. Read the file again/],
  ['there twice', { old_text: 'two', new_text: 'x' }, /2 times, at lines 2, 4\. Add lines/],
  [
    'other whitespace',
    { old_text: 'one\ntwo\nthree', new_text: 'x' },
    /lines 1 to 3 differ from it in whitespace only/,
  ],
  [
    'changed since',
    { old_text: 'three\nfour', new_text: 'x' },
    /first line stands at line 3, but what follows is different/,
  ],
  ['no change', { old_text: 'one', new_text: 'one' }, /are the same/],
  ['no such file', { path: 'b.txt', old_text: 'one', new_text: 'x' }, /no file 'b.txt'/],
  ['outside', { path: '../b.txt', old_text: 'one', new_text: 'x' }, /outside the workspace/],
])('says what is wrong: %s', async (_case, input, message) => {
  await expect(edit(input)).rejects.toThrow(message);
});

test('replaces every occurrence when that is asked for', async () => {
  const { output, text } = await edit({ old_text: 'two', new_text: 'TWO!', replace_all: true });
  expect(text).toBe('one\n  TWO!\nthree\nTWO! again\nfour\n');
  expect(output).toMatchObject({
    content: expect.stringMatching(/^Edited a.txt in 2 places\. Around the first it now reads:\n1\tone\n2\t {2}TWO!/),
    details: { line: 2, replaced: 2 },
  });
});

test('fits the line breaks of a CRLF file, and keeps them', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': 'one\r\ntwo\r\nthree\r\n' });
  const tool = editFileTool(workspace);
  await tool.execute({ path: 'a.txt', old_text: 'one\ntwo', new_text: '1\n2\n2.5' }, noContext);
  await tool.execute({ path: 'a.txt', old_text: '2.5\r\nthree', new_text: '3' }, noContext);
  expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toBe('1\r\n2\r\n3\r\n');
});

test('a long edit is shown at its beginning and its end', async () => {
  const { output } = await edit({ old_text: 'three', new_text: 'line\n'.repeat(10_000) });
  const { content } = output as { content: string };
  expect(content.split('\n')).toHaveLength(62);
  expect(content).toMatch(/\n\[… \d+ lines\]\n/);
});

test.each([
  ['line numbers', { old_text: '2\t  two\n3\tthree', new_text: 'x' }, /it has the line numbers of read_file in front/],
  [
    'whitespace, with the lines to copy',
    { old_text: '\ttwo\nthree', new_text: 'x' },
    /lines 2 to 3 differ from it in whitespace only\. Copy them exactly:\n2\t {2}two\n3\tthree$/,
  ],
  [
    'some lines that are different',
    { old_text: 'ONE\n  two\nthree\nfive', new_text: 'x' },
    /2 of its 4 lines stand near line 1, but others are different\. The file reads there:\n1\tone\n2\t {2}two\n3\tthree\n4\ttwo again$/,
  ],
])('helps with %s', async (_case, input, message) => {
  await expect(edit(input)).rejects.toThrow(message);
});

test('a text that stands there very often, and a file of very many lines, take no long time and no long answer', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': '}\n'.repeat(500_000) });
  const tool = editFileTool(workspace);
  const running = tool.execute({ path: 'a.txt', old_text: '}', new_text: 'x' }, noContext);
  await expect(running).rejects.toThrow(/500000 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 499990 more/);
  const absent = `${'}\n'.repeat(5_000)}y\n`;
  await expect(tool.execute({ path: 'a.txt', old_text: absent, new_text: 'x' }, noContext)).rejects.toThrow(/not in/);
});

test('makes no file of hundreds of megabytes from one text that stands there often', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': 'a'.repeat(2_000_000) });
  const running = editFileTool(workspace).execute(
    { path: 'a.txt', old_text: 'a', new_text: 'b'.repeat(1_000), replace_all: true },
    noContext,
  );
  await expect(running).rejects.toThrow("'a.txt' would have 2000000000 characters; at most 100000000 are written.");
});

test('half of a character is shown as it is written', async () => {
  const { output, text } = await edit({ old_text: 'one', new_text: 'x\ud83d' });
  expect(text.split('\n')[0]).toBe('x\ufffd');
  expect(output).toMatchObject({ content: expect.stringContaining('1\tx\ufffd\n') });
});

test('leaves a read-only file alone', { skip: process.getuid?.() === 0 }, async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': 'one\n' });
  await chmod(join(workspace.root, 'a.txt'), 0o444);
  const running = editFileTool(workspace).execute({ path: 'a.txt', old_text: 'one', new_text: 'two' }, noContext);
  await expect(running).rejects.toThrow(/read-only/);
});
