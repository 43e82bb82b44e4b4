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

test('assistant messages without a response id are calls of their own; repeated ids are passed over', () => {
  const repeated = reply();
  expect(modelCalls([repeated, reply(), repeated])).toEqual([0, 1]);
  expect(modelCalls([user(), user()])).toEqual([]);
});
