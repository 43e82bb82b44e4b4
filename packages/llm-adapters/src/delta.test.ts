import { expect, it } from 'vitest';
import { deltasFromMessage } from './delta.js';

it('gives thinking, words and calls in that order, and nothing for what is empty', () => {
  expect(
    deltasFromMessage({
      role: 'assistant',
      content: [{ type: 'text', text: 'Two files.' }],
      toolCalls: [{ id: 'c1', name: 'run', arguments: '{}' }],
      thinkingBlocks: [
        { type: 'thinking', thinking: '', signature: 's' },
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'redacted-thinking', data: 'x' },
      ],
    }),
  ).toEqual([
    { type: 'thinking', text: 'Hm.' },
    { type: 'text', text: 'Two files.' },
    { type: 'tool-call', index: 0, id: 'c1', name: 'run', arguments: '{}' },
  ]);
});
