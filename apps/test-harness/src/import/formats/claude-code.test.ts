import { expect, test } from 'vitest';
import {
  fixture,
  jsonLines,
  noteKinds,
  outline,
  sessionOf,
  sessionsAt,
} from '../../../test-support/fixtures/fixture-files.js';
import { modelCalls } from '../log/model-calls.js';

const sessions = await sessionsAt(fixture('claude-code-jsonl.jsonl'));
const [main, sidechain] = sessions;

const line = (uuid: string, message: unknown, more: object = {}): object => ({
  type: 'user',
  uuid,
  parentUuid: null,
  sessionId: 's',
  timestamp: '2026-03-01T09:00:00.000Z',
  message,
  ...more,
});

test('a reply spread over lines becomes one batch where it began, and its results stay where they arrived', () => {
  expect(main?.format).toBe('claude-code-jsonl');
  expect(main?.events.map(outline)).toEqual([
    'user as user: Make the kettle whistle.',
    'msg_1 toolu_A Read {"file_path":"/w/kettle.ts"} «Reading both.»',
    'result toolu_A Read: 1→export const kettle = 1;',
    'msg_1 toolu_B Read {"file_path":"/w/missing.ts"} «»',
    'llm-usage',
    'error toolu_B Read: no such file|<image>',
    'environment as user: <local-command-caveat>These were run by the user.</local-command-caveat>',
    'recorded/compaction',
    'recorded/compaction-summary',
    'agent as assistant: The kettle whistles.',
    'llm-usage',
    'conversation-error',
  ]);
  expect(modelCalls(main?.events ?? [])).toEqual([1, 9]);
});

test('ids and times are those of the log', () => {
  expect(main?.events.map(({ id }) => id)).toEqual([
    'u1',
    'a3',
    'r1',
    'a4',
    'a4#2',
    'r2',
    'm1',
    'b1',
    's1',
    'a5',
    'a5#2',
    'e1',
  ]);
  // The first action stands where the reply began, so it has the time of its first line.
  expect(main?.events[1]?.timestamp).toBe('2026-03-01T09:00:02.000Z');
  expect(main?.events[3]?.timestamp).toBe('2026-03-01T09:00:06.000Z');
});

test('thinking keeps its signature and stands on the first action; usage is that of the last line', () => {
  expect(main?.events[1]).toMatchObject({
    thinkingBlocks: [{ type: 'thinking', thinking: 'Two files to look at.', signature: 'c2lnbmVk' }],
  });
  expect(main?.events[3]).not.toHaveProperty('thinkingBlocks');
  expect(main?.events[4]).toMatchObject({
    responseId: 'msg_1',
    model: 'claude-invented-1',
    usage: { uncachedInputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 40, outputTokens: 30 },
  });
});

test('a result names its action and carries images as data URLs', () => {
  expect(main?.events[5]).toMatchObject({
    actionId: 'a4',
    isError: true,
    content: [{ text: 'no such file' }, { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' }],
  });
});

test('a compaction of the recording agent forgets nothing and its summary is sent to no model', () => {
  expect(main?.events[7]).toMatchObject({ source: 'environment', trigger: 'auto', tokensBefore: 155_000 });
  expect(main?.events[8]).toMatchObject({ summary: 'This session is being continued. The kettle was read.' });
  expect(main?.notes.filter(({ kind }) => kind === 'recorded-compaction')).toHaveLength(1);
});

test('a sidechain is a session of its own', () => {
  expect(sessions).toHaveLength(2);
  expect(sidechain?.name).toBe('claude-code-jsonl.jsonl#sidechain-1');
  expect(sidechain?.events.map(outline)).toEqual([
    'user as user: Look for other kettles.',
    'agent as assistant: There are none.',
    'llm-usage',
  ]);
  expect(main?.notes.filter(({ kind }) => kind === 'sidechain')).toHaveLength(1);
});

test('lines that no model reads are counted by their type', () => {
  expect(main?.notes.filter(({ kind }) => kind === 'skipped-line').map(({ message }) => message)).toEqual([
    "'file-history-snapshot' is not read by a model",
    "'attachment/task_reminder' is not read by a model",
    'the summary of a recorded compaction is kept, but no model is sent it',
    "'summary' is not read by a model",
  ]);
});

test('a copied line is left out; another line with its id is kept under a new one; both are noted with their line', async () => {
  const words = { role: 'user', content: 'Go on.' };
  const session = await sessionOf(
    jsonLines([line('a', words), line('a', words), line('a', { role: 'user', content: 'Stop.' }), line('b', words)]),
  );
  expect(session.events.map((event) => `${event.id} ${outline(event)}`)).toEqual([
    'a user as user: Go on.',
    'a~2 user as user: Stop.',
    'b user as user: Go on.',
  ]);
  expect(session.notes.map((note) => `${note.kind} ${note.line}`)).toEqual([
    'duplicate-event-id 2',
    'duplicate-event-id 3',
  ]);
});

test('text of the program in the user place is not taken for the user', async () => {
  const texts = ['<local-command-stdout>ok</local-command-stdout>', '[Request interrupted by user]', '<b>Mine</b>'];
  const session = await sessionOf(
    jsonLines(texts.map((content, index) => line(`u${index}`, { role: 'user', content }))),
  );
  expect(session.events.map(({ source }) => source)).toEqual(['environment', 'environment', 'user']);
});

test('a rewound conversation is noted, and an unknown line type is counted', async () => {
  const session = await sessionOf(
    jsonLines([
      line('a', { role: 'user', content: 'one' }),
      line('b', { role: 'user', content: 'two' }, { parentUuid: 'a' }),
      line('c', { role: 'user', content: 'two, rather' }, { parentUuid: 'a' }),
      { type: 'hologram', uuid: 'h1' },
      { type: 'hologram', uuid: 'h2' },
    ]),
  );
  expect(session.events).toHaveLength(3);
  expect(noteKinds(session)).toEqual(['branch ×1', 'unknown-line-type ×2']);
});

test('reads the same twice', async () => {
  expect(await sessionsAt(fixture('claude-code-jsonl.jsonl'))).toEqual(sessions);
});
