import { mkdir, readFile, writeFile } from 'node:fs/promises';
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

const session = await sessionAt(fixture('openhands-sdk'));

const mended = [
  'user as user: Mend the kettle.|<image>|<image>',
  'environment as user: Solder melts early.',
  'gen-1 toolu_1 file_editor {"command": "view", "path": "/w/kettle"} «Look and weigh.»',
  'gen-1 toolu_2 scales_weigh {"what": «»',
  'error toolu_2 scales_weigh: The arguments are cut off.',
  'gen-1 toolu_3 scales_weigh {"what": "lid"} «»',
];

test('a conversation folder is one session, with the usage of its state', () => {
  expect(session).toMatchObject({ name: 'base_state.json', format: 'openhands-sdk' });
  expect(session.events.map(outline)).toEqual([
    'system You mend kettles. [file_editor,scales_weigh]',
    ...mended,
    'llm-usage',
    'result toolu_1 file_editor: A hole.|Holes need solder.',
    'error toolu_3 scales_weigh: No weighing.',
    'recorded/compaction',
    'gen-3 call_4 finish {"message": "Mended."} «»',
    'llm-usage',
    'result call_4 finish: Mended.',
    'user as user: Thanks.',
    'agent as assistant: You are welcome.',
  ]);
  expect(session.events[0]).toMatchObject({ dynamicContext: 'The workshop is in /w.', timestamp: expect.anything() });
  expect(modelCalls(session.events)).toHaveLength(3);
});

test('usage and cost are those of the response; the condenser has its own, which is left out', () => {
  expect(session.events.filter(({ type }) => type === 'llm-usage')).toMatchObject([
    {
      model: 'invented-1',
      costUsd: 0.5,
      usage: {
        uncachedInputTokens: 10,
        cacheReadTokens: 60,
        cacheWriteTokens: 30,
        outputTokens: 20,
        reasoningTokens: 5,
      },
    },
    { costUsd: 0.25, usage: { uncachedInputTokens: 20, cacheReadTokens: 100, outputTokens: 9 } },
  ]);
});

test('thinking has the form of its API; a compaction is marked; what is left out is noted', () => {
  const action = session.events.find(({ id }) => id === 'e3');
  expect(action).toMatchObject({ thinkingBlocks: [{ thinking: 'It leaks.', signature: 'c2ln' }] });
  expect(action).not.toHaveProperty('reasoningContent');
  expect(session.events.find(({ id }) => id === 'e10')).toMatchObject({
    toolCall: { itemId: 'fc_4' },
    reasoningItems: [{ id: 'rs_1', summary: ['Fill it.'], encryptedContent: 'b3Bh' }],
  });
  expect(session.events.find(({ id }) => id === 'e13')).toMatchObject({ reasoningContent: 'Be kind.' });
  expect(session.events.find(({ id }) => id === 'e9')).toMatchObject({
    summary: 'There is a hole.',
    forgottenEvents: 2,
  });
  expect(noteKinds(session)).toEqual([
    'unsupported-content ×1',
    'skipped-line ×1',
    'arguments-not-json ×1',
    'recorded-compaction ×1',
  ]);
});

test('an exported list, an object with it, and lines give the same events, without usage', async () => {
  const exported = await sessionAt(fixture('openhands-sdk.trajectory.json'));
  const expected = [
    ...mended,
    'result toolu_1 file_editor: A hole.|Holes need solder.',
    'error toolu_3 scales_weigh: No weighing.',
  ];
  expect(exported.format).toBe('openhands-sdk');
  expect(exported.events.map(outline)).toEqual(expected);
  const events = JSON.parse(await readText('openhands-sdk.trajectory.json')) as readonly unknown[];
  for (const text of [JSON.stringify({ events }), jsonLines(events)]) {
    expect((await sessionOf(text)).events.map(outline)).toEqual(expected);
  }
});

test('the outputs of a benchmark are a session each, with the metrics beside the events', async () => {
  const events = JSON.parse(await readText('openhands-sdk.trajectory.json')) as readonly unknown[];
  const metrics = { token_usages: [{ model: 'm', prompt_tokens: 7, completion_tokens: 2, response_id: 'gen-1' }] };
  const rows = ['one', 'two'].map((instance_id) => ({ instance_id, history: events, metrics }));
  await withFiles({ 'output.jsonl': jsonLines(rows) }, async (folder) => {
    const sessions = await sessionsAt(join(folder, 'output.jsonl'));
    expect(sessions.map(({ name }) => name)).toEqual(['output.jsonl#one', 'output.jsonl#two']);
    expect(sessions[1]?.events.find(({ type }) => type === 'llm-usage')).toMatchObject({
      model: 'm',
      usage: { uncachedInputTokens: 7, outputTokens: 2 },
    });
  });
});

test('one event of a folder leads to all of them; a half-written one is noted, and so is a half-written state', async () => {
  const message = (id: string, source: string, text: string): string =>
    JSON.stringify({
      kind: 'MessageEvent',
      id,
      source,
      timestamp: '2026-03-01T09:00:00',
      llm_message: { content: text },
    });
  await withFiles({ 'base_state.json': '{"agent":' }, async (folder) => {
    const events = join(folder, 'events');
    await mkdir(events);
    // In the order of the numbers, which outgrow their five digits.
    await writeFile(join(events, 'event-100000-c.json'), '{"kind":"Action');
    await writeFile(join(events, 'event-99999-b.json'), message('b', 'agent', 'Hello.'));
    await writeFile(join(events, 'event-00000-a.json'), message('a', 'user', 'Hi.'));
    const read = await sessionAt(join(events, 'event-00000-a.json'));
    expect(read.events.map(outline)).toEqual(['user as user: Hi.', 'agent as assistant: Hello.']);
    expect(noteKinds(read)).toEqual(['not-json ×1', 'not-json ×1']);
  });
});

test('the archive of the web application has no state: its events are one session', async () => {
  const event = (id: string, text: string): string =>
    JSON.stringify({ kind: 'MessageEvent', id, source: 'user', llm_message: { content: [{ type: 'text', text }] } });
  await withFiles(
    { 'meta.json': '{}', 'event_000001_b.json': event('b', 'Two.'), 'event_000000_a.json': event('a', 'One.') },
    async (folder) => {
      const read = await sessionAt(folder);
      expect(read.name).toBe('event_000000_a.json');
      expect(read.events.map(outline)).toEqual(['user as user: One.', 'user as user: Two.']);
    },
  );
});

test('a server that repeats its ids: a call after a result is another reply, and is not billed again', async () => {
  const action = (id: string): object => ({
    kind: 'ActionEvent',
    id,
    source: 'agent',
    tool_name: 'run',
    tool_call_id: id,
    tool_call: { id, name: 'run', arguments: '{}' },
    llm_response_id: 'same',
  });
  const result = (id: string): object => ({
    kind: 'ObservationEvent',
    source: 'environment',
    tool_call_id: id,
    observation: { output: 'ok' },
  });
  const read = await sessionOf(
    JSON.stringify({
      history: [action('a'), action('b'), result('a'), result('b'), action('c')],
      metrics: { token_usages: [{ prompt_tokens: 5, completion_tokens: 1, response_id: 'same' }] },
    }),
  );
  expect(read.events.map(outline)).toEqual([
    'same a run {} «»',
    'same b run {} «»',
    'llm-usage',
    'result a run: ok',
    'result b run: ok',
    'same#2 c run {} «»',
  ]);
  expect(noteKinds(read)).toEqual(['normalised ×1', 'call-without-result ×1']);
});

test('without a state, the sums that events report give the usage of each reply, if there is one for each', async () => {
  const reply = (id: string): object => ({
    kind: 'MessageEvent',
    id,
    source: 'agent',
    llm_message: { role: 'assistant', content: [{ type: 'text', text: id }] },
    llm_response_id: `gen-${id}`,
  });
  const sums = (input: number, cached: number, cost: number, nested: boolean): object => {
    const metrics = {
      accumulated_cost: cost,
      accumulated_token_usage: { model: 'm', prompt_tokens: input, completion_tokens: 1, cache_read_tokens: cached },
    };
    const stats = {
      usage_to_metrics: { agent: metrics, condenser: { accumulated_token_usage: { prompt_tokens: 999 } } },
    };
    return { kind: 'ConversationStateUpdateEvent', source: 'environment', value: nested ? { stats } : stats };
  };
  const events = [
    sums(0, 0, 0, true),
    sums(10, 0, 0.5, false),
    reply('a'),
    sums(10, 0, 0.5, true),
    reply('b'),
    sums(40, 20, 0.75, false),
  ];
  const counted = await sessionOf(JSON.stringify(events));
  expect(counted.events.filter(({ type }) => type === 'llm-usage')).toMatchObject([
    { model: 'm', costUsd: 0.5, usage: { uncachedInputTokens: 10, outputTokens: 1 } },
    { model: 'm', costUsd: 0.25, usage: { uncachedInputTokens: 10, cacheReadTokens: 20 } },
  ]);
  const fewer = await sessionOf(JSON.stringify(events.slice(0, -1)));
  expect(fewer.events.map(({ type }) => type)).toEqual(['message', 'message']);
});

test('a conversation without events has no session', async () => {
  await withFiles({ 'base_state.json': '{"agent":{},"execution_status":"idle"}' }, async (folder) => {
    expect(await sessionsAt(folder)).toEqual([]);
  });
});

function readText(name: string): Promise<string> {
  return readFile(fixture(name), 'utf8');
}
