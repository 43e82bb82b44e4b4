import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvent, EventLog } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { expect, onTestFinished, test } from 'vitest';
import { noContext, temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { fileHistory } from '../changes/file-history.js';
import { editFileTool } from '../files/edit-file.js';
import { writeFileTool } from '../files/write-file.js';
import { appliedDiff, fileDiff } from './file-diff.js';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n') + '\n';

test('the lines that change, those around them with their numbers, and what is left out', () => {
  const before = numbered(20);
  const { lines, ...counts } = fileDiff('a.txt', before, before.replace('line 10\n', 'ten\nand more\n'));
  expect(counts).toEqual({ path: 'a.txt', isNew: false, added: 2, removed: 1 });
  expect(lines).toEqual([
    { kind: 'gap', text: '6 lines' },
    ...[7, 8, 9].map((line) => ({ kind: 'same', text: `line ${line}`, line })),
    { kind: 'removed', text: 'line 10', line: 10 },
    { kind: 'added', text: 'ten', line: 10 },
    { kind: 'added', text: 'and more', line: 11 },
    ...[11, 12, 13].map((line) => ({ kind: 'same', text: `line ${line}`, line: line + 1 })),
  ]);
});

test('a new file, an emptied one, one without a line break at its end', () => {
  expect(fileDiff('a', undefined, 'x\ny\n')).toMatchObject({ isNew: true, added: 2, removed: 0 });
  expect(fileDiff('a', 'x\n', '')).toMatchObject({ isNew: false, added: 0, removed: 1 });
  expect(fileDiff('a', 'x\n', 'x').lines.at(-1)).toEqual({ kind: 'gap', text: 'no line break at the end' });
  expect(fileDiff('a', 'x', 'x')).toMatchObject({ added: 0, removed: 0, lines: [] });
});

test('line breaks of Windows are no change, and no text; where only they change, that is said', () => {
  const crlf = numbered(3).replaceAll('\n', '\r\n');
  const { lines } = fileDiff('a', crlf, crlf.replace('line 2', 'two'));
  expect(lines.map(({ text }) => text)).toEqual(['line 1', 'line 2', 'two', 'line 3']);
  expect(fileDiff('a', crlf, numbered(3))).toMatchObject({
    added: 0,
    removed: 0,
    lines: [{ kind: 'gap', text: 'only line breaks change' }],
  });
});

test('of a long diff the beginning is shown; two long texts that have little in common are counted', () => {
  const [before, after] = [numbered(5_000), numbered(5_000)];
  const { lines, added } = fileDiff('a', undefined, after);
  expect(added).toBe(5_000);
  expect(lines).toHaveLength(401);
  expect(lines.at(-1)?.text).toMatch(/^4600 lines more of this diff$/);
  expect(fileDiff('a', before, after.replaceAll('line', 'row'))).toEqual({
    path: 'a',
    isNew: false,
    added: 5_000,
    removed: 5_000,
    lines: [{ kind: 'gap', text: '5000 lines become 5000: too many to compare' }],
  });
});

test('the diff of a call, from the records of the session, whatever became of the file', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': 'one\ntwo\n' });
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-history-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const history = fileHistory({ directory });
  const events = new EventLog('conversation');
  const tools = [editFileTool(workspace, { history }), writeFileTool(workspace, { history })];
  const called = async (name: string, input: Readonly<Record<string, unknown>>): Promise<string> => {
    const toolCall = { id: `call-${events.length}`, name, arguments: JSON.stringify(input) };
    const action = createEvent('action', { thought: [], llmResponseId: toolCall.id, toolCall });
    await events.append(action);
    const tool = tools.find((each) => each.name === name);
    const append = (event: Event) => events.append(event);
    await tool?.execute(input as never, { ...noContext, actionId: action.id, append });
    return action.id;
  };
  const edit = await called('edit_file', { path: 'a.txt', old_text: 'two', new_text: 'three' });
  const write = await called('write_file', { path: 'a.txt', content: 'four\n' });
  const made = await called('write_file', { path: 'b.txt', content: 'new\n' });
  const read = await called('read_file', { path: 'a.txt' });
  const diffs = [edit, write, made].map((id) => appliedDiff(id, { events, history }));
  expect(await Promise.all(diffs)).toMatchObject([
    { path: 'a.txt', isNew: false, added: 1, removed: 1 },
    { path: 'a.txt', isNew: false, added: 1, removed: 2 },
    { path: 'b.txt', isNew: true, added: 1, removed: 0 },
  ]);
  expect(await appliedDiff(read, { events, history })).toBeUndefined();
  expect(await appliedDiff('nothing', { events, history })).toBeUndefined();
  await rm(directory, { recursive: true });
  expect(await appliedDiff(edit, { events, history })).toBeUndefined();
});
