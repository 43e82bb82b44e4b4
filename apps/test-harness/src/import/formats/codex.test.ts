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
