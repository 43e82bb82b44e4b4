import { readFile } from 'node:fs/promises';
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
import { modelCalls } from '../log/model-calls.js';

const session = await sessionAt(fixture('adk-session.json'));

const lines = [
  'user as user: Is the kettle in stock, and the lid?',
  'response-1 adk-1 stock {"item":"kettle"} «I look.»',
  'response-1 adk-2 stock {"item":"lid"} «»',
  'llm-usage',
  'result adk-1 stock: three',
  'error adk-2 stock: no such item',
  'response-2 adk-3 transfer_to_agent {"agent_name":"smith"} «»',
  'llm-usage',
  'result adk-3 transfer_to_agent: null',
  'agent as assistant: Three kettles.',
  'recorded/compaction',
  'conversation-error',
];

test('a session: parallel calls, the results of one event, a compaction', () => {
  expect(session.format).toBe('adk-session');
  expect(session.events.map(outline)).toEqual(lines);
  expect(modelCalls(session.events)).toEqual([1, 6, 9]);
  expect(session.events[0]).toMatchObject({ id: 'a1', timestamp: '2026-03-01T09:00:00.500Z' });
  expect(session.events[10]).toMatchObject({ summary: 'There are kettles.' });
});

test('thoughts are plain text, signatures stand at their calls, usage counts the cache once and thoughts as output', () => {
  expect(session.events[1]).toMatchObject({
    reasoningContent: 'Two look-ups.',
    thinkingBlocks: [{ thinking: '', signature: 'c2ln', position: 1 }],
  });
  expect(session.events[3]).toMatchObject({
    model: 'invented-flash',
    usage: { uncachedInputTokens: 60, cacheReadTokens: 40, outputTokens: 18, reasoningTokens: 6 },
  });
});

test('stream pieces, changes of the state, calls of the framework and other agents are noted', () => {
  expect(noteKinds(session)).toEqual(['skipped-line ×3', 'skipped-line ×1', 'sidechain ×1', 'recorded-compaction ×1']);
});

test('the names of the other serialisation, a list of events and lines give the same', async () => {
  const text = await readFile(fixture('adk-session.json'), 'utf8');
  const snake = text.replace(
    /"(\w+)":/g,
    (_, key: string) => `"${key.replace(/[A-Z]/g, (x) => `_${x.toLowerCase()}`)}":`,
  );
  const { events } = JSON.parse(text) as { events: readonly unknown[] };
  for (const log of [snake, JSON.stringify(events), jsonLines(events)]) {
    const other = await sessionOf(log);
    expect(other.format).toBe('adk-session');
    expect(other.events.map(outline)).toEqual(lines);
  }
});

test('calls without ids are answered in their order; a call without a result is noted', async () => {
  const event = (id: string, author: string, role: string, ...parts: object[]): object => ({
    id,
    author,
    invocationId: 'e',
    content: { role, parts },
  });
  const call = (item: string): object => ({ functionCall: { name: 'stock', args: { item } } });
  const result = (said: string): object => ({ functionResponse: { name: 'stock', response: { said, at: 1 } } });
  const read = await sessionOf(
    JSON.stringify([
      event('1', 'user', 'user', { text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }),
      event('2', 'clerk', 'model', call('a'), call('b'), call('c')),
      event('3', 'clerk', 'user', result('one'), result('two')),
    ]),
  );
  expect(read.events.map(outline)).toEqual([
    'user as user: Look.|<image>',
    'response-1 call-of-2 stock {"item":"a"} «»',
    'response-1 call-of-2-1 stock {"item":"b"} «»',
    'response-1 call-of-2-2 stock {"item":"c"} «»',
    'result call-of-2 stock: {"said":"one","at":1}',
    'result call-of-2-1 stock: {"said":"two","at":1}',
  ]);
  expect(read.notes).toMatchObject([{ kind: 'call-without-result' }]);
});

test('results of MCP are their parts; code that the provider ran and files are kept unread, with their words', async () => {
  const read = await sessionOf(
    JSON.stringify({
      id: 's',
      appName: 'shop',
      events: [
        {
          id: '1',
          author: 'clerk',
          invocationId: 'e',
          content: { parts: [{ functionCall: { id: 'x', name: 'ask' } }] },
        },
        {
          id: '2',
          author: 'clerk',
          invocationId: 'e',
          content: {
            parts: [
              {
                functionResponse: {
                  id: 'x',
                  name: 'ask',
                  response: { content: [{ type: 'text', text: 'Closed.' }], isError: true },
                },
              },
            ],
          },
        },
        {
          id: '3',
          author: 'clerk',
          invocationId: 'e',
          content: { parts: [{ executableCode: { language: 'PYTHON', code: '1 + 1' } }] },
        },
        {
          id: '4',
          author: 'user',
          invocationId: 'e',
          content: { parts: [{ fileData: { mimeType: 'text/csv', fileUri: 'gs://a' } }] },
        },
      ],
    }),
  );
  expect(read.events.map(outline)).toEqual([
    'response-1 x ask {} «»',
    'error x ask: Closed.',
    'agent as assistant: 1 + 1',
    'recorded/unread',
    'recorded/unread',
    'user as user: (A file is not kept here.)',
  ]);
});

test('a session without events has no conversation', async () => {
  await withFiles({ 'empty.json': '{"id":"s","appName":"shop","userId":"u","events":[]}' }, async (folder) => {
    expect(await sessionsAt(folder)).toEqual([]);
  });
});
