import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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

const session = await sessionAt(fixture('langchain.json'));

const baked = [
  'system You bake. []',
  'user as user: Bake this.|<image>',
  'msg_1 t1 weigh {"what":"flour"} «I weigh.»',
  'msg_1 t2 heat {"to": «»',
  'llm-usage',
  'result t1 weigh: 500 g',
  'error t2 heat: The arguments are cut off.',
  'response-2 t3 heat {"to":200} «»',
  'llm-usage',
];

test('dumps: calls that do not parse are calls too, thinking is signed', () => {
  expect(session.format).toBe('langchain');
  expect(session.events.map(outline)).toEqual(baked);
  expect(session.events[2]).toMatchObject({ thinkingBlocks: [{ thinking: 'Flour first.', signature: 'c2ln' }] });
  expect(session.events[7]).toMatchObject({ reasoningContent: 'Hot.' });
  expect(modelCalls(session.events)).toEqual([2, 7]);
  expect(noteKinds(session)).toEqual(['arguments-not-json ×1', 'call-without-result ×1']);
});

test('usage counts the cache once; what the provider said is read where LangChain counted nothing', () => {
  expect(session.events.filter(({ type }) => type === 'llm-usage')).toMatchObject([
    {
      model: 'invented-1',
      usage: { uncachedInputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 30, outputTokens: 15 },
    },
    { usage: { uncachedInputTokens: 130, outputTokens: 6 } },
  ]);
});

test('the same messages in the other forms: under a key, as a prompt, stored, plain, on lines', async () => {
  const dumped = JSON.parse(await readFile(fixture('langchain.json'), 'utf8')) as readonly {
    kwargs: { type: string };
  }[];
  const prompt = {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'ChatPromptValue'],
    kwargs: { messages: dumped },
  };
  const stored = dumped.map(({ kwargs }) => ({ type: kwargs.type, data: kwargs }));
  const plain = dumped.map(({ kwargs }) => kwargs);
  const logs = [{ messages: dumped }, { messages: [dumped] }, prompt, stored, plain].map((log) => JSON.stringify(log));
  for (const log of [...logs, jsonLines(dumped)]) {
    const other = await sessionOf(log);
    expect(other.format).toBe('langchain');
    expect(other.events.map(outline)).toEqual(baked);
  }
});

const thread = [
  'user as user: Bake.',
  'response-1 t1 heat {"to":200} «»',
  'llm-usage',
  'result t1 heat: hot',
  'agent as assistant: Baked.',
  'llm-usage',
  'recorded/compaction',
  'user as user: Bread was baked.',
  'user as user: More.',
];

test('the history of a thread: each message once, with the time of its state; a removal forgets nothing', async () => {
  const history = await sessionAt(fixture('langchain.threads.json'));
  expect(history.events.map(outline)).toEqual(thread);
  expect(history.events.map(({ timestamp }) => timestamp.slice(17, 19))).toEqual([
    '01',
    '02',
    '02',
    '03',
    '04',
    '04',
    '05',
    '05',
    '05',
  ]);
  expect(noteKinds(history)).toEqual(['recorded-compaction ×1']);
});

test('one state, a checkpoint, and states of a graph inside of another', async () => {
  const states = JSON.parse(await readFile(fixture('langchain.threads.json'), 'utf8')) as readonly {
    values: object;
    checkpoint: object;
  }[];
  const [, state] = states;
  const checkpoint = {
    v: 4,
    ts: '2026-03-01T09:00:00Z',
    id: '1f',
    channel_values: state?.values,
    channel_versions: {},
  };
  for (const log of [state, checkpoint, { config: {}, checkpoint, metadata: {} }]) {
    expect((await sessionOf(JSON.stringify(log))).events.map(outline)).toEqual(thread.slice(0, 6));
  }
  const other = states.map((each) => ({ ...each, checkpoint: { thread_id: 'oven', checkpoint_ns: 'helper:1' } }));
  await withFiles({ 'threads.jsonl': jsonLines([...states, ...other]) }, async (folder) => {
    const sessions = await sessionsAt(join(folder, 'threads.jsonl'));
    expect(sessions.map(({ name }) => name)).toEqual(['threads.jsonl#oven', 'threads.jsonl#oven/helper:1']);
    expect(sessions[1]?.events.map(outline)).toEqual(thread);
  });
});

test('without ids only the newest state is read; messages of Chat Completions may stand in it; removals are noted', async () => {
  const human = { type: 'human', content: 'Hi.' };
  const states = [
    {
      values: { messages: [human, { role: 'assistant', content: 'Hello.' }, { type: 'remove', content: '', id: 'x' }] },
    },
    { values: { messages: [human] } },
  ];
  const read = await sessionOf(JSON.stringify(states));
  expect(read.events.map(outline)).toEqual(['user as user: Hi.', 'agent as assistant: Hello.']);
  expect(noteKinds(read)).toEqual(['skipped-line ×1']);
});
