import { expect, test } from 'vitest';
import {
  fixture,
  jsonLines,
  noteKinds,
  outline,
  sessionAt,
  sessionOf,
} from '../../../test-support/fixtures/fixture-files.js';
import { modelCalls } from '../log/model-calls.js';

const session = await sessionAt(fixture('pi-session-jsonl.jsonl'));

test('reads replies, results, the user shell and what extensions tell the model', () => {
  expect(session.format).toBe('pi-session-jsonl');
  expect(session.events.map((event) => `${event.id} ${outline(event)}`)).toEqual([
    '01 user as user: Rename a to b.',
    '02 response-1 toolu_1 edit {"path":"/w/a.ts"} «Editing.»',
    '02#2 response-1 toolu_2 read {"path":"/w/b.ts"} «»',
    '02#3 llm-usage',
    '03 result toolu_1 edit: ok',
    '04 error toolu_2 read: gone|<image>',
    '05 environment as user: The user ran: npm test\n1 failed\nexit code 1',
    '07 recorded/compaction',
    '08 environment as user: Remember the plan.',
    '09 agent as assistant: ',
    '10 user as user: Again, from the test.',
    '11 agent as assistant: It passes.',
    '11#2 llm-usage',
  ]);
  expect(modelCalls(session.events)).toEqual([1, 9, 11]);
});

test('thinking is signed where the provider signs it, and plain text elsewhere', () => {
  expect(session.events[1]).toMatchObject({ thinkingBlocks: [{ thinking: 'Small.', signature: 'c2ln' }] });
  expect(session.events[2]).toMatchObject({ toolCall: { itemId: 'fc_2' } });
  expect(session.events[11]).toMatchObject({ reasoningContent: 'Unsigned.' });
  expect(session.events[11]).not.toHaveProperty('thinkingBlocks');
});

test('usage and cost stand on every reply that has them', () => {
  expect(session.events[3]).toMatchObject({
    costUsd: 0.25,
    usage: { uncachedInputTokens: 3, cacheReadTokens: 7, cacheWriteTokens: 9, outputTokens: 11 },
  });
});

test('a compaction is marked and forgets nothing', () => {
  expect(session.events[7]).toMatchObject({ summary: 'a became b.', tokensBefore: 1234, firstKeptEntryId: '05' });
});

test('settings, hidden commands, an empty reply and a rewind are noted', () => {
  expect(session.notes.map(({ kind, line }) => `${kind} ${line}`)).toEqual([
    'skipped-line 1',
    'skipped-line 2',
    'skipped-line 8',
    'recorded-compaction 9',
    'branch 12',
    'empty-response 11',
  ]);
});

test('a log of the first version, without ids, has the line as id; unknown lines and roles are counted', async () => {
  const old = await sessionOf(
    jsonLines([
      { type: 'session', id: 's', timestamp: '2026-03-01T09:00:00.000Z', cwd: '/w', provider: 'x', modelId: 'y' },
      {
        type: 'message',
        message: { role: 'user', content: [{ type: 'text', text: 'Hi.' }], timestamp: 1_772_355_600_000 },
      },
      { type: 'message', message: { role: 'narrator', content: 'Meanwhile.' } },
      { type: 'hologram' },
    ]),
  );
  expect(old.events).toMatchObject([{ id: 'line-2', timestamp: '2026-03-01T09:00:00.000Z' }]);
  expect(noteKinds(old)).toEqual(['skipped-line ×1', 'unknown-line-type ×1', 'unknown-line-type ×1']);
});
