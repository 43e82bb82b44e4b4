import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  fixture,
  jsonLines,
  noteKinds,
  outline,
  sessionOf,
  sessionsAt,
  withFiles,
} from '../../../test-support/fixtures/fixture-files.js';
import { modelCalls } from '../log/model-calls.js';

const [root, helper] = await sessionsAt(fixture('atif.json'));

test('a trajectory: parallel calls with their results, feedback, a sub-agent as a session of its own', () => {
  expect([root?.name, helper?.name]).toEqual(['atif.json', 'atif.json#helper-1']);
  expect(root?.format).toBe('atif');
  expect(root?.events.map(outline)).toEqual([
    'system You mend kettles. [run]',
    'recorded/unread',
    'user as user: Mend it.|(A file is not kept here.)|<image>',
    'response-1 c1 run {"cmd":"ls"} «I look.»',
    'response-1 c2 helper {"task":"weigh"} «»',
    'response-1 c3 run {"cmd":"sleep"} «»',
    'llm-usage',
    'result c1 run: kettle',
    'result c2 helper: Heavy.',
    'response-2 c4 run {"cmd":"mend"} «»',
    'llm-usage',
    'result c4 run: mended',
    'environment as user: Half of the time is over.',
    'environment as user: A clock strikes.',
    'agent as assistant: Done.',
  ]);
  expect(root?.events[3]).toMatchObject({ reasoningContent: 'A leak?', timestamp: '2026-03-01T09:00:02Z' });
  expect(helper?.events.map(outline)).toEqual(['user as user: weigh', 'agent as assistant: Heavy.', 'llm-usage']);
});

test('usage is of the step, with its model and cost; that of several calls is noted', () => {
  expect(root?.events.filter(({ type }) => type === 'llm-usage')).toMatchObject([
    {
      model: 'invented-2',
      costUsd: 0.5,
      usage: {
        uncachedInputTokens: 10,
        cacheReadTokens: 60,
        cacheWriteTokens: 30,
        outputTokens: 20,
        reasoningTokens: 4,
      },
    },
    { model: 'invented-1', usage: { uncachedInputTokens: 130, outputTokens: 5 } },
  ]);
  expect(root?.notes.map(({ kind }) => kind)).toEqual([
    'unsupported-content',
    'sidechain',
    'skipped-line',
    'call-without-result',
  ]);
});

const step = (source: string, message: string, more: object = {}): object => ({ source, message, ...more });
const copied = { is_copied_context: true, metrics: { prompt_tokens: 10, completion_tokens: 1 } };

test('steps copied from an earlier trajectory are shown, and not counted', async () => {
  const { is_copied_context: _, ...own } = copied;
  const session = await sessionOf(
    JSON.stringify({
      schema_version: 'ATIF-v1.5',
      agent: { name: 'smith', version: '1' },
      steps: [
        step('user', 'Mend it.', copied),
        step('agent', 'Mended.', copied),
        step('user', 'And the lid?'),
        step('agent', 'Too.', own),
        step('agent', 'A copy in the middle.', copied),
      ],
    }),
  );
  expect(session.events.map(outline)).toEqual([
    'user as user: Mend it.',
    'agent as assistant: Mended.',
    'recorded/copied-history',
    'user as user: And the lid?',
    'agent as assistant: Too.',
    'llm-usage',
    'agent as assistant: A copy in the middle.',
  ]);
  expect(modelCalls(session.events)).toEqual([4, 6]);
  expect(noteKinds(session)).toEqual(['copied-history ×1']);
});

test('lines of trajectories have the names of their sessions; a torn one is left out; one without steps is no session', async () => {
  const trajectory = (session_id: string, steps: object[]): object => ({
    schema_version: 'ATIF-v1.0',
    session_id,
    agent: {},
    steps,
  });
  const lines = jsonLines([
    trajectory('a', [step('user', 'Hi.')]),
    trajectory('b', []),
    trajectory('c', [step('user', 'Ho.')]),
  ]);
  await withFiles({ 'runs.jsonl': `${lines}{"schema_version":"ATIF-v1` }, async (folder) => {
    const sessions = await sessionsAt(join(folder, 'runs.jsonl'));
    expect(sessions.map(({ name }) => name)).toEqual(['runs.jsonl#a', 'runs.jsonl#c']);
    expect(sessions[1]?.notes).toMatchObject([{ kind: 'torn-last-line', line: 4 }]);
  });
});

test('a version that is not known is refused', async () => {
  await expect(sessionOf('{"schema_version":"ATIF-v2.0","steps":[]}')).rejects.toMatchObject({
    code: 'unknown-log-format',
  });
});
