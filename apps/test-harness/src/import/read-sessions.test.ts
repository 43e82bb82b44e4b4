import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture, jsonLines, sessionAt, sessionsAt, withFiles } from '../../test-support/fixtures/fixture-files.js';
import { logFormatNames, readSessions } from './index.js';

const chat = jsonLines([
  { role: 'user', content: 'Hi.' },
  { role: 'assistant', content: 'Hello.' },
]);

async function failure(content: string | Uint8Array): Promise<unknown> {
  return withFiles({ 'some.log': content }, (folder) =>
    sessionsAt(join(folder, 'some.log')).catch((error: unknown) => error),
  );
}

test.each([
  ['text', 'Once upon a time\nthere was a log.\n', 'it is neither a JSON document nor JSON Lines'],
  ['an empty file', '', 'it is empty'],
  ['bytes', new Uint8Array([0, 1, 2, 255, 254]), 'it is neither a JSON document nor JSON Lines'],
  ['a document cut off', '{\n "messages": [\n', 'it is neither a JSON document nor JSON Lines'],
  ['other JSON', '{"name":"palimpsest","version":"0.1.0"}', 'it is of none of the known formats'],
  ['other JSON Lines', '{"a":1}\n{"a":2}\n', 'it is of none of the known formats'],
  ['a number', '42', 'it is of none of the known formats'],
])('%s: an error that names the file and the known formats', async (_what, content, reason) => {
  const error = await failure(content);
  expect(error).toMatchObject({ code: 'unknown-log-format', reason });
  expect((error as Error).message).toContain(
    `some.log' is not a session log that can be read: ${reason}. Known formats: ${logFormatNames.join(', ')}.`,
  );
});

test('a path with nothing at it is an error that names it', async () => {
  const error: unknown = await sessionsAt(fixture('no-such-file')).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'log-read' });
  expect((error as Error).message).toMatch(/no-such-file.*ENOENT/);
});

test('a folder is read in the order of its names, below it too; what cannot be read is listed and stops nothing', async () => {
  await withFiles(
    { 'b.jsonl': chat, 'a.jsonl': chat, 'notes.txt': 'no log', 'README.md': '# logs', '.hidden': chat },
    async (folder) => {
      await mkdir(join(folder, 'below'));
      await writeFile(join(folder, 'below', 'c.jsonl'), chat);
      await writeFile(
        join(folder, 'broken.jsonl'),
        '{"type":"pause","id":"1","timestamp":"t","source":"user"}\n{"type":"pause"}\n',
      );
      const files: string[] = [];
      const reader = readSessions(folder, {
        onFile: ({ file, index, count }) => files.push(`${index + 1}/${count} ${file.slice(folder.length + 1)}`),
      });
      const names: string[] = [];
      for await (const session of reader) names.push(session.name);
      expect(names).toEqual(['a.jsonl', 'b.jsonl', 'below/c.jsonl']);
      expect(
        reader.skipped.map(({ file, reason, error }) => [file.slice(folder.length + 1), error?.code ?? reason]),
      ).toEqual([
        ['.hidden', 'it is hidden'],
        ['README.md', 'it goes with the logs and is none'],
        ['broken.jsonl', 'log-read'],
        ['notes.txt', 'unknown-log-format'],
      ]);
      expect(files).toEqual(['3/7 a.jsonl', '4/7 b.jsonl', '5/7 below/c.jsonl', '6/7 broken.jsonl', '7/7 notes.txt']);
    },
  );
});

test('a log without a conversation is listed with its notes', async () => {
  const reader = readSessions(fixture('.'));
  for await (const session of reader) expect(session.events.length).toBeGreaterThan(0);
  await withFiles({ 'only.jsonl': '{"type":"summary","summary":"x","leafUuid":"u"}\n' }, async (folder) => {
    const empty = readSessions(join(folder, 'only.jsonl'));
    for await (const session of empty) expect.unreachable(session.name);
    expect(empty.skipped).toMatchObject([
      { reason: "there is no conversation in this 'claude-code-jsonl' log", notes: [{ kind: 'skipped-line' }] },
    ]);
  });
});

test('the name of a file says nothing: the content does', async () => {
  await withFiles({ 'swe-agent.traj': chat }, async (folder) => {
    expect((await sessionAt(join(folder, 'swe-agent.traj'))).format).toBe('openai-chat');
  });
});

test('what is noted at the end of a file belongs to its last session', async () => {
  const lines = jsonLines([
    { id: 'one', messages: [{ role: 'user', content: 'Hi.' }] },
    { id: 'two', messages: [{ role: 'user', content: 'Hi.' }] },
  ]);
  await withFiles({ log: `${lines}{"id":` }, async (folder) => {
    const [one, two] = await sessionsAt(join(folder, 'log'));
    expect(one?.notes).toEqual([]);
    expect(two?.notes).toMatchObject([{ kind: 'torn-last-line', line: 3 }]);
  });
});

test('links to files are read, links to folders and to nothing are listed', async () => {
  await withFiles({ 'chat.json': chat }, async (folder) => {
    await symlink(join(folder, 'chat.json'), join(folder, 'linked.json'));
    await symlink(folder, join(folder, 'loop'));
    await symlink(join(folder, 'missing'), join(folder, 'nowhere'));
    const reader = readSessions(folder);
    const names: string[] = [];
    for await (const session of reader) names.push(session.name);
    expect(names).toEqual(['chat.json', 'linked.json']);
    expect(reader.skipped.map(({ reason }) => reason)).toEqual([
      'it is not a regular file',
      'it is not a regular file',
    ]);
  });
});

test('what an importer writes is well-formed text; a log of our own is read as it stands', async () => {
  const half = 'a \ud83d';
  const message = { type: 'message', id: '1', timestamp: 't', source: 'user', role: 'user' };
  const own = jsonLines([{ ...message, content: [{ type: 'text', text: half }] }]);
  const foreign = jsonLines([
    { role: 'user', content: half },
    { role: 'assistant', content: half },
  ]);
  await withFiles({ 'own.jsonl': own, 'foreign.jsonl': foreign }, async (folder) => {
    const [read] = await sessionsAt(join(folder, 'own.jsonl'));
    expect(read?.events).toMatchObject([{ content: [{ text: half }] }]);
    const [written] = await sessionsAt(join(folder, 'foreign.jsonl'));
    expect(written?.events).toMatchObject([{ content: [{ text: 'a \ufffd' }] }, { content: [{ text: 'a \ufffd' }] }]);
  });
});

test('an aborted signal ends the reading', async () => {
  const reader = readSessions(fixture('.'), { signal: AbortSignal.abort(new Error('enough')) });
  await expect(reader[Symbol.asyncIterator]().next()).rejects.toThrow('enough');
});
