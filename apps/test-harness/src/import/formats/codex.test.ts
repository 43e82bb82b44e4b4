import { expect, test } from 'vitest';
import { fixture, jsonLines, outline, sessionAt, sessionOf } from '../../../test-support/fixtures/fixture-files.js';
import { modelCalls } from '../log/model-calls.js';

const session = await sessionAt(fixture('codex-rollout.jsonl'));

const item = (payload: object): object => ({ timestamp: '2026-03-01T09:00:00.000Z', type: 'response_item', payload });
const reasoning = (text: string): object => item({ type: 'reasoning', summary: [{ type: 'summary_text', text }] });
const call = (id: string): object => item({ type: 'function_call', name: 'run', arguments: '{}', call_id: id });
const output = (id: string): object => item({ type: 'function_call_output', call_id: id, output: id });

test('neighbouring items of the model are one response, up to a result or its usage', () => {
  expect(session.format).toBe('codex-rollout');
  expect(session.events.map(outline)).toEqual([
    'system You are a careful coder. []',
    'environment as user: <permissions instructions>Ask first.</permissions instructions>',
    'environment as user: <environment_context><cwd>/w</cwd></environment_context>',
    'user as user: Fix the kettle.',
    'response-1 call_1 exec_command {"cmd":"ls"} «Looking.»',
    'response-1 call_2 exec_command {"cmd":"cat kettle"} «»',
    'llm-usage',
    'result call_1 exec_command: kettle',
    'result call_2 exec_command: cold',
    'response-2 call_3 apply_patch {"input":"*** Begin Patch\\n*** End Patch"} «»',
    'llm-usage',
    'result call_3 apply_patch: {"output":"Success","metadata":{"exit_code":0}}',
    'recorded/compaction',
    'agent as assistant: Done.',
    'recorded/unread',
  ]);
  expect(modelCalls(session.events)).toEqual([4, 9, 13]);
});

test('reasoning stands on the first action with its opaque content', () => {
  expect(session.events[4]).toMatchObject({
    toolCall: { itemId: 'fc_1' },
    reasoningItems: [{ id: 'rs_1', summary: ['Look first.'], encryptedContent: 'b3BhcXVl' }],
  });
});

test('usage is told apart from its repetition, and cached tokens from sent ones', () => {
  const usages = session.events.filter((event) => event.type === 'llm-usage');
  expect(usages).toMatchObject([
    {
      model: 'gpt-invented',
      usage: { uncachedInputTokens: 40, cacheReadTokens: 60, outputTokens: 30, reasoningTokens: 3 },
    },
    { responseId: 'response-2', usage: { uncachedInputTokens: 20, cacheReadTokens: 100, outputTokens: 10 } },
  ]);
});

test('a compaction is marked with what it replaced, and what is left out is noted', () => {
  expect(session.events[12]).toMatchObject({ replacementItems: 1 });
  expect(session.notes.map(({ kind, line }) => `${kind} ${line}`)).toEqual([
    'skipped-line 4',
    'skipped-line 6',
    'skipped-line 7',
    'reasoning 15',
    'recorded-compaction 20',
    'unsupported-content 21',
  ]);
});

test('without base instructions, the first developer message is the system prompt', async () => {
  const developer = (text: string): object =>
    item({ type: 'message', role: 'developer', content: [{ type: 'input_text', text }] });
  const { events } = await sessionOf(jsonLines([developer('Be brief.'), developer('Be kind.')]));
  expect(events.map(outline)).toEqual(['system Be brief. []', 'environment as user: Be kind.']);
});

test('every reasoning item is kept, with its place among the calls', async () => {
  const { events, notes } = await sessionOf(
    jsonLines([reasoning('a'), reasoning('b'), call('c1'), reasoning('c'), call('c2'), output('c1')]),
  );
  expect(events[0]).toMatchObject({
    reasoningItems: [{ summary: ['a'] }, { summary: ['b'] }, { summary: ['c'], position: 1 }],
  });
  expect(events[1]).toMatchObject({ llmResponseId: 'response-1' });
  expect(notes.map(({ kind }) => kind)).toEqual(['call-without-result']);
});

// Ids of version 7 hold their time: a parent of 09:00:00, a child of 09:00:10.
const [parentId, childId] = ['019ca8a0-3e80-7000-8000-000000000001', '019ca8a0-6590-7000-8000-000000000002'];
const [parentTurn, childTurn] = ['019ca8a0-4268-7000-8000-000000000003', '019ca8a0-6978-7000-8000-000000000004'];
const at = (second: number, type: string, payload: object): object => ({
  timestamp: `2026-03-01T09:00:${String(second).padStart(2, '0')}.000Z`,
  type,
  payload,
});
const words = (role: string, text: string): object => ({
  type: 'message',
  role,
  content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
});
const tokens = (total: number, last: number): object => ({
  type: 'token_count',
  info: { total_token_usage: { total_tokens: total }, last_token_usage: { input_tokens: last, output_tokens: 1 } },
});
const spawned = { subagent: { thread_spawn: { parent_thread_id: parentId, depth: 1 } } };

/** The rollout of a sub-agent; `second` is when a line of the parent was written. */
function child(second: (line: number) => number, turns: { readonly parent?: string; readonly own?: string }): object[] {
  return [
    at(10, 'session_meta', { id: childId, source: spawned, base_instructions: { text: 'Be careful.' } }),
    at(second(1), 'session_meta', { id: parentId, base_instructions: { text: 'Be careful.' } }),
    at(second(2), 'turn_context', { turn_id: turns.parent, model: 'm' }),
    at(second(3), 'response_item', words('user', 'Mend the kettle.')),
    at(second(4), 'response_item', words('assistant', 'I ask another.')),
    at(second(5), 'event_msg', tokens(101, 100)),
    at(12, 'event_msg', { type: 'task_started', turn_id: turns.own }),
    at(12, 'turn_context', { turn_id: turns.own, model: 'm' }),
    at(12, 'response_item', words('user', 'Look for holes.')),
    at(14, 'event_msg', tokens(101, 100)),
    at(14, 'response_item', words('assistant', 'One hole.')),
    at(14, 'event_msg', tokens(222, 120)),
  ];
}

const copied = [
  'system Be careful. []',
  'user as user: Mend the kettle.',
  'agent as assistant: I ask another.',
  'recorded/copied-history',
];
const own = ['user as user: Look for holes.', 'agent as assistant: One hole.', 'llm-usage'];

test.each([
  ['written anew, with turn ids', () => 10, { parent: parentTurn, own: childTurn }],
  ['with its old times and turn ids', (line: number) => line, { parent: parentTurn, own: childTurn }],
  ['written over some seconds, with turn ids', (line: number) => 10 + 2 * line, { parent: parentTurn, own: childTurn }],
  ['written anew, without turn ids', () => 10, {}],
  ['with its old times, without turn ids', (line: number) => line, {}],
  ['with turn ids that hold no time', () => 10, { parent: '1', own: '2' }],
])("a sub-agent's history from its parent is shown and not counted: %s", async (_, second, turns) => {
  const { events, notes } = await sessionOf(jsonLines(child(second, turns)));
  expect(events.map(outline)).toEqual([...copied, ...own]);
  expect(modelCalls(events)).toEqual([5]);
  expect(events[3]).toMatchObject({ replies: 1, copiedFrom: parentId });
  expect(events[6]).toMatchObject({ usage: { uncachedInputTokens: 120 } });
  expect(notes.map(({ kind }) => kind)).toContain('copied-history');
});

test('a fork without a turn of its own makes no calls; one that was given no history has nothing copied', async () => {
  const whole = child(() => 10, { parent: parentTurn, own: childTurn });
  const [first, ...rest] = whole;
  const fork = { ...first, payload: { id: childId, forked_from_id: parentId } };
  const empty = await sessionOf(jsonLines([fork, ...rest.slice(0, 5)]));
  expect(empty.events.map(outline)).toEqual(copied);
  expect(modelCalls(empty.events)).toEqual([]);
  const fresh = await sessionOf(jsonLines([first, ...whole.slice(6, 9), ...whole.slice(10)]));
  expect(fresh.events.map(outline)).toEqual([copied[0], ...own]);
  expect(modelCalls(fresh.events)).toEqual([2]);
});
