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

const boiled = [
  'environment as user: <session_context>Today is Sunday.</session_context>',
  'user as user: Boil it, and look at @kettle.png|<image>',
  'response-1 fill-1 fill {"litres":1} «Boiling.»',
  'response-1 heat-2 heat {} «»',
  'response-1 wait-3 wait {} «»',
  'llm-usage',
  'result fill-1 fill: full|<image>',
  'error heat-2 heat: no fire',
  'conversation-error',
  'agent as assistant: No fire.',
];

test('a recording: a call and its result are one object', async () => {
  const session = await sessionAt(fixture('gemini-cli.json'));
  expect(session.format).toBe('gemini-cli');
  expect(session.events.map(outline)).toEqual(boiled);
  expect(session.events[2]).toMatchObject({ reasoningContent: 'Water first\nFill it.\n' });
  expect(session.events[5]).toMatchObject({
    model: 'invented-pro',
    usage: { uncachedInputTokens: 50, cacheReadTokens: 150, outputTokens: 25, reasoningTokens: 5 },
  });
  expect(session.events[6]).toMatchObject({ id: 'fill-1-result', timestamp: '2026-03-01T09:00:04.000Z' });
  expect(modelCalls(session.events)).toEqual([2, 9]);
  expect(noteKinds(session)).toEqual(['skipped-line ×1', 'call-without-result ×1']);
});

test('lines: later states of a message replace it, a masked result stays whole, a summary forgets nothing', async () => {
  const session = await sessionAt(fixture('gemini-cli.jsonl'));
  expect(session.events.map(outline)).toEqual([...boiled, 'recorded/compaction', 'user as user: Again.']);
  expect(session.events[10]).toMatchObject({ summary: '<state_snapshot>No fire.</state_snapshot>' });
  expect(noteKinds(session)).toEqual([
    'skipped-line ×2',
    'branch ×1',
    'skipped-line ×1',
    'recorded-compaction ×1',
    'call-without-result ×1',
  ]);
});

test('a checkpoint: calls without ids are answered in their order', async () => {
  const session = await sessionAt(fixture('gemini-cli.checkpoint.json'));
  expect(session.format).toBe('gemini-cli');
  expect(session.events.map(outline)).toEqual([
    'environment as user: This is the Gemini CLI. We are in /w.',
    'agent as assistant: Understood.',
    'user as user: Fill it twice.',
    'response-2 call-of-content-3 fill {"litres":1} «»',
    'response-2 call-of-content-3-1 fill {"litres":2} «»',
    'result call-of-content-3 fill: one',
    'result call-of-content-3-1 fill: two',
    'agent as assistant: Filled.',
  ]);
  expect(session.events[3]).toMatchObject({ reasoningContent: 'Water.', thinkingBlocks: [{ signature: 'c2ln' }] });
});

test('the checkpoint of a tool holds the contents beside the screen, and a bare list is one too', async () => {
  const clientHistory = [{ role: 'user', parts: [{ text: 'Hi.' }] }];
  const checkpoint = { history: [{ type: 'user', text: 'Hi.' }], clientHistory, toolCall: { name: 'fill', args: {} } };
  for (const log of [checkpoint, clientHistory]) {
    const session = await sessionOf(JSON.stringify(log));
    expect(session.format).toBe('gemini-cli');
    expect(session.events.map(outline)).toEqual(['user as user: Hi.']);
  }
});

test('a history that was taken over holds calls and results as parts; what is known already is not repeated', async () => {
  const call = { functionCall: { id: 'a', name: 'fill', args: {} } };
  const result = { functionResponse: { id: 'a', name: 'fill', response: { output: 'full' } } };
  const session = await sessionOf(
    jsonLines([
      { sessionId: 's', projectHash: 'p' },
      {
        $set: {
          messages: [
            { id: '1', type: 'user', content: [{ text: 'Fill it.' }] },
            { id: '2', type: 'gemini', content: [call] },
            { id: '3', type: 'user', content: [result] },
          ],
        },
      },
      { id: '4', type: 'user', content: [result] },
      { id: '5', type: 'gemini', content: [call, { text: 'Full.' }] },
    ]),
  );
  expect(session.events.map(outline)).toEqual([
    'user as user: Fill it.',
    'response-1 a fill {} «»',
    'result a fill: full',
    'agent as assistant: Full.',
  ]);
});

test('a torn last line is left out; a session of which only the first line was written has no conversation', async () => {
  const head = JSON.stringify({ sessionId: 's', projectHash: 'p' });
  const hello = JSON.stringify({ id: '1', type: 'user', content: 'Hi.' });
  const torn = await sessionOf(`${head}\n${hello}\n{"id":"2","type":"gem`);
  expect(torn.events.map(outline)).toEqual(['user as user: Hi.']);
  expect(noteKinds(torn)).toContain('torn-last-line ×1');
  await withFiles(
    { 'a.jsonl': `${head}\n`, 'b.jsonl': '{"sessionId":"s","projectHash":"p","messages":[]}' },
    async (folder) => {
      expect(await sessionsAt(folder)).toEqual([]);
    },
  );
});
