import { eventFactory } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { modelCalls } from '../import/log/model-calls.js';

let next = 0;
const create = eventFactory({ newId: () => `e${next++}`, now: () => new Date(0) });
const content = [{ type: 'text' as const, text: 'words' }];
const user = () => create('message', { source: 'user', role: 'user', content });
const reply = (llmResponseId?: string) =>
  create('message', { source: 'agent', role: 'assistant', content, llmResponseId });
const action = (llmResponseId: string) =>
  create('action', { thought: [], toolCall: { id: `call${next}`, name: 'run', arguments: '{}' }, llmResponseId });

test('the first action or message of each response', () => {
  expect(modelCalls([user(), action('r1'), action('r1'), user(), action('r1'), reply('r2'), user()])).toEqual([1, 5]);
});

test('a response that comes back after another is another call', () => {
  expect(modelCalls([action('r1'), action('r2'), action('r1')])).toEqual([0, 1, 2]);
});

test('assistant messages without a response id are calls of their own; repeated ids are passed over', () => {
  const repeated = reply();
  expect(modelCalls([repeated, reply(), repeated])).toEqual([0, 1]);
  expect(modelCalls([user(), user()])).toEqual([]);
});

test('responses of one id are told apart as in a view', () => {
  const usage = create('llm-usage', {
    responseId: 'r',
    model: 'm',
    usage: { uncachedInputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 },
    purpose: 'agent',
  });
  const first = action('r');
  const result = create('observation', { toolCallId: first.toolCall.id, toolName: 'run', content });
  expect(modelCalls([user(), first, result, usage, action('r')])).toEqual([1, 4]);
  expect(modelCalls([user(), reply('r'), user(), reply('r')])).toEqual([1, 3]);
});
