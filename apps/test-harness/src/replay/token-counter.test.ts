import { expect, test } from 'vitest';
import { tokenCounter } from './token-counter.js';

const text = (value: string) => ({ type: 'text' as const, text: value });

test('counts text, calls and the frame of each message', () => {
  const count = tokenCounter();
  expect(count([])).toBe(0);
  expect(count([{ role: 'user', content: [text('hello world')] }])).toBe(2 + 4);
  const call = { id: 'c', name: 'hello', arguments: 'hello world' };
  expect(count([{ role: 'assistant', content: [], toolCalls: [call] }])).toBe(1 + 2 + 4);
});

test('text that looks like a control token is text', () => {
  expect(tokenCounter()([{ role: 'user', content: [text('<|endoftext|>')] }])).toBeGreaterThan(4);
});
