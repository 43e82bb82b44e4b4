import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  fixture,
  jsonLines,
  noteKinds,
  outline,
  sessionAt,
  sessionOf,
  sessionsAt,
  withFiles,
} from '../../../test-support/fixtures/fixture-files.js';
import { isRecordOf, writeOpencodeDatabase } from '../../../test-support/opencode-database.js';
import { modelCalls } from '../log/model-calls.js';
import { readSessions } from '../read-sessions.js';

const session = await sessionAt(fixture('opencode.json'));
const exported = JSON.parse(await readFile(fixture('opencode.json'), 'utf8')) as {
  readonly info: Readonly<Record<string, unknown>>;
  readonly messages: readonly {
    readonly info: { readonly id: string };
    readonly parts: readonly { readonly id: string }[];
  }[];
};

/** Writes the fixture as the versions before 1.2 keep it. */
async function writeStorage(storage: string): Promise<void> {
  const write = async (path: string, value: unknown): Promise<void> => {
    await mkdir(dirname(join(storage, path)), { recursive: true });
    await writeFile(join(storage, path), JSON.stringify(value));
  };
  await write('session/p1/ses_1.json', exported.info);
  for (const { info, parts } of exported.messages) {
    await write(`message/ses_1/${info.id}.json`, info);
    for (const part of parts) await write(`part/${info.id}/${part.id}.json`, part);
  }
}

test('an export: steps are replies, a part is a call and its result, what the program wrote is not the user’s', () => {
  expect(session.format).toBe('opencode');
  expect(session.events.map((event) => `${event.id} ${outline(event)}`)).toEqual([
    'system system Be brief. []',
    'msg_01 user as user: Mend a.ts.',
    'msg_01#2 environment as user: Called the read tool: a.ts|<image>',
    'prt_02_03 response-1 c1 read {"path":"/w/a.ts"} «Reading.»',
    'prt_02_04 response-1 c2 bash {"command":"ls"} «»',
    'msg_02 llm-usage',
    'prt_02_03-result result c1 read: let a',
    'prt_02_04-result error c2 bash: gone',
    'prt_02_08 response-2 c3 shot {} «»',
    'prt_02_09 response-2 c4 wait {"s":9} «»',
    'msg_02#2 llm-usage',
    'prt_02_08-result result c3 shot: seen|<image>',
    'msg_03 recorded/compaction',
    'msg_04 recorded/compaction-summary',
    'msg_05 environment as user: Continue if you have next steps',
    'msg_06 agent as assistant: Done.',
    'msg_06#2 llm-usage',
    'msg_07 user as user: Thanks.',
    'msg_07-unread recorded/unread',
    'msg_08-error conversation-error',
  ]);
  expect(modelCalls(session.events)).toEqual([3, 8, 15]);
});

test('thinking, usage, cost, a cleared result and a compaction are kept', () => {
  const at = (id: string) => session.events.find((event) => event.id === id);
  expect(at('prt_02_03')).toMatchObject({ thinkingBlocks: [{ thinking: 'Look.', signature: 'c2ln' }] });
  expect(at('msg_06')).toMatchObject({ reasoningContent: 'Unsigned.' });
  const usage = { uncachedInputTokens: 3, cacheReadTokens: 7, cacheWriteTokens: 9, outputTokens: 11 };
  expect(at('msg_02')).toMatchObject({ costUsd: 0.25, model: 'claude-invented-1', usage });
  // Where a total is logged, reasoning is counted apart from the output.
  expect(at('msg_02#2')).toMatchObject({ usage: { outputTokens: 17 } });
  expect(at('msg_06#2')).toMatchObject({ costUsd: 0.5, usage: { outputTokens: 2 } });
  expect(at('prt_02_03-result')).toMatchObject({ details: { clearedAt: 1_772_355_604_000 } });
  expect(at('prt_02_03-result')?.timestamp).toBe('2026-03-01T09:00:01.500Z');
  expect(at('msg_03')).toMatchObject({ trigger: 'auto', firstKeptEntryId: 'msg_02' });
  expect(at('msg_04')).toMatchObject({ summary: 'a was read.', costUsd: 0.1 });
  expect(at('msg_08-error')).toMatchObject({ code: 'recorded-error', detail: 'aborted' });
});

test('what no model reads is noted', () => {
  expect(noteKinds(session)).toEqual([
    'skipped-line ×1', // the file whose text is a part
    'skipped-line ×1', // the agent
    'skipped-line ×1', // the ignored text
    'recorded-compaction ×1', // the cleared result
    'skipped-line ×1', // the patch
    'recorded-compaction ×1',
    'skipped-line ×1', // the summary
    'unsupported-content ×1', // the task for another agent
    'unknown-line-type ×1', // the hologram
    'call-without-result ×1',
  ]);
});

test('the storage folders and the database hold the same session as the export', async () => {
  await withFiles({}, async (folder) => {
    const storage = join(folder, 'opencode', 'storage');
    await writeStorage(storage);
    const stored = await sessionsAt(join(folder, 'opencode'));
    expect(stored.map(({ name }) => name)).toEqual(['storage/session/p1/ses_1.json']);
    expect(stored[0]?.events).toEqual(session.events);

    const database = join(folder, 'opencode', 'opencode.db');
    await writeOpencodeDatabase(database, [exported]);
    // The database has replaced the storage folders, which stay on disk.
    const rows = await sessionsAt(join(folder, 'opencode'));
    expect(rows.map(({ name, file }) => [name, file])).toEqual([['opencode.db#ses_1', database]]);
    expect(rows[0]?.events).toEqual(session.events);
    expect((await sessionAt(`${database}#ses_1`)).events).toEqual(session.events);
  });
});

test('a database that is being written to is read with its write-ahead log, and is left as it was', async () => {
  await withFiles({}, async (folder) => {
    const database = join(folder, 'opencode.db');
    await writeOpencodeDatabase(database, [exported], { keepLog: true });
    const files = [database, `${database}-wal`];
    const before = await Promise.all(files.map((file) => readFile(file)));
    expect(before[1]?.length).toBeGreaterThan(1_000);
    expect((await sessionAt(database)).events).toEqual(session.events);
    expect(await Promise.all(files.map((file) => readFile(file)))).toEqual(before);
  });
});

test('version 2: messages with a type, in the order of their numbers', async () => {
  const model = { id: 'claude-invented-1', providerID: 'anthropic' };
  const time = { created: 1_772_355_600_000 };
  const tokens = { input: 3, output: 11, reasoning: 2, cache: { read: 7, write: 9 } };
  const file = { type: 'file', uri: 'data:image/png;base64,iVBORw0KGgo=', mime: 'image/png' };
  const messages = [
    { id: 'msg_1', type: 'system', text: 'Be brief.', time },
    { id: 'msg_2', type: 'user', text: 'Look.', files: [file], time },
    {
      id: 'msg_3',
      type: 'assistant',
      model,
      time,
      tokens,
      cost: 0.25,
      content: [
        { type: 'reasoning', text: 'Hm.', native: { anthropic: { signature: 'c2ln' } } },
        { type: 'text', text: 'Looking.' },
        {
          type: 'tool',
          id: 'c1',
          name: 'shot',
          state: { status: 'completed', input: { n: 1 }, content: [{ type: 'text', text: 'seen' }, file] },
          time: { created: 1, completed: 1_772_355_602_000 },
        },
        { type: 'tool', id: 'c2', name: 'bash', state: { status: 'error', input: {}, error: { message: 'gone' } } },
        { type: 'tool', id: 'c3', name: 'bash', state: { status: 'streaming', input: '{"comm' } },
      ],
    },
    { id: 'msg_4', type: 'compaction', status: 'completed', reason: 'auto', summary: 'Seen.', recent: '', time },
    { id: 'msg_5', type: 'shell', command: 'npm test', output: '1 failed', exit: 1, time },
    { id: 'msg_6', type: 'synthetic', text: 'Go on.', time },
    { id: 'msg_7', type: 'idle', outcome: 'succeeded', time },
    { id: 'msg_8', type: 'compaction', status: 'failed', reason: 'auto', error: { message: 'no room' }, time },
  ];
  const expected = [
    'system system Be brief. []',
    'msg_2 user as user: Look.|<image>',
    'msg_3-3 response-1 c1 shot {"n":1} «Looking.»',
    'msg_3-4 response-1 c2 bash {} «»',
    'msg_3-5 response-1 c3 bash {"comm «»',
    'msg_3 llm-usage',
    'msg_3-3-result result c1 shot: seen|<image>',
    'msg_3-4-result error c2 bash: gone',
    'msg_4 recorded/compaction',
    'msg_5 environment as user: The user ran: npm test\n1 failed\nexit code 1',
    'msg_6 environment as user: Go on.',
    'msg_8-error conversation-error',
  ];
  await withFiles({}, async (folder) => {
    const database = join(folder, 'opencode.db');
    const info = { id: 'ses_2', time: { created: 1_772_999_000_000, updated: 1_772_999_000_001 } };
    await writeOpencodeDatabase(database, [exported, { info, messages }]);
    const [, second] = await sessionsAt(database);
    const lines = second?.events.map((event) => `${event.id} ${outline(event)}`.replace(/^msg_1 /, 'system '));
    expect(lines).toEqual(expected);
    expect(second?.events.find((event) => event.type === 'llm-usage')).toMatchObject({
      costUsd: 0.25,
      usage: { outputTokens: 13 },
    });
    // The export of the same session is the same.
    expect((await sessionOf(JSON.stringify({ info, messages }))).events).toEqual(second?.events);
    expect(modelCalls(second?.events ?? [])).toEqual([2]);
  });
});

test('several exports, one a line, are sessions of their own', async () => {
  await withFiles({ log: jsonLines([exported, exported]) }, async (folder) => {
    const names = (await sessionsAt(join(folder, 'log'))).map(({ name }) => name);
    expect(names).toEqual(['log#ses_1', 'log#ses_1~2']);
  });
});

test('another program’s database, an unknown session and a damaged database are refused by name', async () => {
  await withFiles({ 'damaged.db': `SQLite format 3\0${'x'.repeat(5_000)}` }, async (folder) => {
    const other = join(folder, 'other.db');
    await writeOpencodeDatabase(other, [], { tables: ['CREATE TABLE notes (text TEXT)'] });
    await expect(sessionsAt(other)).rejects.toThrow(/other\.db.*without sessions of opencode/);
    const database = join(folder, 'opencode.db');
    await writeOpencodeDatabase(database, [exported]);
    await expect(sessionsAt(`${database}#ses_9`)).rejects.toThrow(/no session 'ses_9'/);
    await expect(sessionsAt(join(folder, 'none.db#ses_9'))).rejects.toThrow(/none\.db/);
    await expect(sessionsAt(join(folder, 'damaged.db'))).rejects.toThrow(/damaged\.db/);
    // In a folder they are listed, and the sound one is read.
    const reader = readSessions(folder);
    const names: string[] = [];
    for await (const { name } of reader) names.push(name);
    expect(names).toEqual(['opencode.db#ses_1']);
    expect(reader.skipped.map(({ file }) => file.slice(folder.length + 1))).toEqual(['damaged.db', 'other.db']);
  });
});

test('parts that are not JSON are left out and noted; ids lead to no other folder', async () => {
  await withFiles({ 'secret.json': '{"id":"prt_9","type":"text","text":"secret"}' }, async (folder) => {
    const storage = join(folder, 'storage');
    await writeStorage(storage);
    await writeFile(join(storage, 'part/msg_01/prt_01_00.json'), '{"type":');
    await writeFile(join(storage, 'message/ses_1/msg_02.json'), JSON.stringify({ id: '../../..', role: 'user' }));
    const stored = await sessionAt(storage);
    expect(stored.notes.find(({ kind }) => kind === 'not-json')?.message).toContain('prt_01_00.json');
    expect(stored.events.filter(isRecordOf('secret'))).toEqual([]);
    expect(stored.events.map(outline)).toContain('environment as user: Called the read tool: a.ts|<image>');
  });
});
