import { isToolResult } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { jsonLines, noteKinds, outline, sessionOf } from '../../../test-support/fixtures/fixture-files.js';
import { modelCalls } from './model-calls.js';
import { SessionRecorder } from './recorder.js';
import { NoteTaker } from './session.js';
import type { Session } from './session.js';

const user = { role: 'user', content: 'Go.' };
const call = (...ids: string[]): object => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'run', arguments: '{}' } })),
});
const result = (id: string, content = 'done'): object => ({ role: 'tool', tool_call_id: id, content });

test('a call without a result stays and is noted with its line', async () => {
  const session = await sessionOf(jsonLines([user, call('a', 'b'), result('a')]));
  expect(session.events.map(({ type }) => type)).toEqual(['message', 'action', 'action', 'observation']);
  expect(session.notes).toMatchObject([
    { kind: 'call-without-result', line: 2, message: "the call 'b' of 'run' has no result" },
  ]);
});

test('a result without a call stays, with no action, and is noted', async () => {
  const session = await sessionOf(jsonLines([user, result('ghost'), call('late'), result('late')]));
  expect(session.events[1]).toMatchObject({ type: 'observation', toolCallId: 'ghost', toolName: 'unknown_tool' });
  expect(session.events[1]).not.toHaveProperty('actionId');
  expect(session.notes).toMatchObject([{ kind: 'result-without-call', line: 2 }]);
});

test('a result before its call is an orphan for good', async () => {
  const session = await sessionOf(jsonLines([user, result('a'), call('a')]));
  expect(session.events).toHaveLength(3);
  expect(noteKinds(session)).toEqual(['result-without-call ×1', 'call-without-result ×1']);
});

test('a second result for a call stays and is noted', async () => {
  const session = await sessionOf(jsonLines([user, call('a'), result('a', 'first'), result('a', 'second')]));
  expect(session.events.map(outline).slice(2)).toEqual(['result a run: first', 'result a run: second']);
  expect(session.events[3]).toMatchObject({ actionId: 'line-2' });
  expect(session.notes).toMatchObject([{ kind: 'duplicate-result', line: 4 }]);
});

test('a call id used again by a later response is matched by occurrence', async () => {
  const session = await sessionOf(jsonLines([user, call('a'), result('a'), call('a'), result('a')]));
  expect(session.events.filter((event) => event.type === 'observation')).toMatchObject([
    { actionId: 'line-2' },
    { actionId: 'line-4' },
  ]);
  expect(session.notes).toEqual([]);
});

test('a second call with the id of an open one is noted', async () => {
  const session = await sessionOf(jsonLines([user, call('a', 'a'), result('a')]));
  expect(session.events).toHaveLength(4);
  expect(noteKinds(session)).toEqual(['duplicate-call-id ×1', 'call-without-result ×1']);
});

test('times are the log’s own, and an event without one has that of the event before', () => {
  const recorder = new SessionRecorder(new NoteTaker('log'));
  const words = [{ type: 'text' as const, text: 'Hi.' }];
  const times = [undefined, 1_772_355_600, 1_772_355_601_500, '2026-03-01 10:00:00', 'yesterday'];
  for (const [index, timestamp] of times.entries()) recorder.message({ id: `e${index}`, timestamp }, words, 'user');
  expect(recorder.finish().map(({ timestamp }) => timestamp)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '2026-03-01T09:00:00.000Z',
    '2026-03-01T09:00:01.500Z',
    '2026-03-01 10:00:00',
    '2026-03-01 10:00:00',
  ]);
});

test('an id that is taken is given to the first event only, and noted', () => {
  const notes = new NoteTaker('log');
  const recorder = new SessionRecorder(notes);
  for (const id of ['a#2', 'a', 'a']) recorder.message({ id }, [{ type: 'text', text: id }], 'user');
  expect(recorder.finish().map(({ id }) => id)).toEqual(['a#2', 'a', 'a#2~2']);
  expect(notes.take()).toMatchObject([{ kind: 'duplicate-event-id', count: 1 }]);
});

const id = 'chatcmpl-A1';

/** How many calls each request of the log made, and the server's id on each usage. */
function shapeOf({ events }: Session) {
  const messages = View.fromEvents(events).toMessages();
  return {
    batches: messages.flatMap((message) => (message.role === 'assistant' ? [message.toolCalls?.length ?? 0] : [])),
    modelCalls: modelCalls(events).length,
    responseIds: new Set(events.flatMap((event) => (event.type === 'action' ? [event.llmResponseId] : []))).size,
    results: events.filter(isToolResult).length,
    providerIds: new Set(events.flatMap((event) => (event.type === 'llm-usage' ? [event.providerResponseId] : []))),
  };
}

test('claude-code-jsonl: the lines of a reply count the same input; the next reply has another', async () => {
  let uuid = 0;
  const line = (type: string, message: object) => ({ type, uuid: `l${uuid++}`, sessionId: 's', message });
  const reply = (input: number, ...content: object[]) =>
    content.map((block) =>
      line('assistant', { id, model: 'm', content: [block], usage: { input_tokens: input, output_tokens: 1 } }),
    );
  const call = (name: string) => ({ type: 'tool_use', id: name, name: 'Read', input: {} });
  const result = (name: string) =>
    line('user', { content: [{ type: 'tool_result', tool_use_id: name, content: 'text' }] });
  const [one, two] = reply(10, call('a'), call('b'));
  const session = await sessionOf(
    jsonLines([
      line('user', { content: 'Go.' }),
      ...[one, result('a'), two, result('b')],
      ...[...reply(20, call('c')), result('c')],
      // The same input by chance: words behind a result begin another reply all the same.
      ...[...reply(20, { type: 'text', text: 'Next.' }, call('d')), result('d')],
      line('user', { content: 'And then?' }),
      ...[...reply(20, call('e')), result('e')],
    ]),
  );
  expect(shapeOf(session)).toEqual({
    batches: [2, 1, 1, 1],
    modelCalls: 4,
    responseIds: 4,
    results: 5,
    providerIds: new Set([id]),
  });
  expect(noteKinds(session)).toEqual(['normalised ×3']);
});

test('openhands-events: every action of a reply repeats the whole of it', async () => {
  let next = 0;
  const step = (calls: readonly string[], input: number) => {
    const toolCalls = calls.map((name) => ({ id: name, function: { name: 'run', arguments: '{}' } }));
    const model_response = {
      id,
      model: 'm',
      choices: [{ message: { content: null, tool_calls: toolCalls } }],
      usage: { prompt_tokens: input, completion_tokens: 1 },
    };
    return calls.flatMap((name) => {
      const action = next++;
      const metadata = { tool_call_id: name, function_name: 'run', model_response };
      return [
        { id: action, source: 'agent', action: 'run', args: {}, tool_call_metadata: metadata },
        { id: next++, source: 'agent', observation: 'run', cause: action, content: 'text' },
      ];
    });
  };
  const task = { id: next++, source: 'user', action: 'message', args: { content: 'Go.' } };
  const session = await sessionOf(JSON.stringify([task, ...step(['a', 'b'], 10), ...step(['c'], 20)]));
  expect(shapeOf(session)).toEqual({
    batches: [2, 1],
    modelCalls: 2,
    responseIds: 2,
    results: 3,
    providerIds: new Set([id]),
  });
});

test('pi-session-jsonl: every message is a reply', async () => {
  const entry = (message: object) => ({ type: 'message', message });
  const turn = (name: string) => [
    entry({
      role: 'assistant',
      responseId: id,
      content: [{ type: 'toolCall', id: name, name: 'read', arguments: {} }],
      usage: { input: 1, output: 1 },
    }),
    entry({ role: 'toolResult', toolCallId: name, toolName: 'read', content: [{ type: 'text', text: 'text' }] }),
  ];
  const session = await sessionOf(
    jsonLines([entry({ role: 'user', content: 'Go.' }), ...turn('a'), ...turn('b'), ...turn('c')]),
  );
  expect(shapeOf(session)).toEqual({
    batches: [1, 1, 1],
    modelCalls: 3,
    responseIds: 3,
    results: 3,
    providerIds: new Set([id]),
  });
});
