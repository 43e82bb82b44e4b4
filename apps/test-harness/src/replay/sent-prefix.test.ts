import type { Message } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { canonicalSequence, extendsSequence } from './sent-prefix.js';

const text = (value: string) => ({ type: 'text' as const, text: value });
const asked: Message = { role: 'user', content: [text('a')] };
const called: Message = { role: 'assistant', content: [], toolCalls: [{ id: 'c', name: 'read', arguments: '{}' }] };
const answered: Message = { role: 'tool', toolCallId: 'c', toolName: 'read', content: [] };

function extended(earlier: readonly Message[], later: readonly Message[]): boolean {
  return extendsSequence(canonicalSequence(earlier), canonicalSequence(later));
}

test('a longer list extends the one that it begins with', () => {
  expect(extended([], [asked])).toBe(true);
  expect(extended([asked, called], [asked, called, answered])).toBe(true);
  expect(extended([asked, called, answered], [asked, called, answered])).toBe(true);
});

test('words that were merged into one message still extend', () => {
  expect(extended([asked], [{ role: 'user', content: [text('a'), text('b')] }])).toBe(true);
});

test('a shorter list, a changed text, another role or another call do not extend', () => {
  expect(extended([asked, called], [asked])).toBe(false);
  expect(extended([asked], [{ role: 'user', content: [text('b')] }])).toBe(false);
  expect(extended([asked], [{ role: 'assistant', content: [text('a')] }])).toBe(false);
  expect(extended([answered], [{ ...answered, toolCallId: 'd' }])).toBe(false);
});

test('thinking that is left out is a rewrite', () => {
  const thought: Message = { ...called, thinkingBlocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }] };
  expect(extended([asked, thought], [asked, called, answered])).toBe(false);
});
