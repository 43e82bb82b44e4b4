import { createEvent, userMessage } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { View } from './index.js';

test('thinking of words that stand behind a waiting call of their own response is not sent behind its result', () => {
  const action = createEvent('action', {
    thought: [],
    toolCall: { id: 'call-1', name: 'read', arguments: '{}' },
    llmResponseId: 'the-same',
  });
  const words = createEvent('message', {
    source: 'agent',
    role: 'assistant',
    content: [{ type: 'text', text: 'I go on.' }],
    llmResponseId: 'the-same',
    thinkingBlocks: [{ type: 'thinking', thinking: 'made before the result', signature: 'signed' }],
  });
  const result = createEvent('observation', {
    toolName: 'read',
    toolCallId: 'call-1',
    actionId: action.id,
    content: [{ type: 'text', text: 'a file' }],
  });
  const messages = View.fromEvents([userMessage('Read it.'), action, words, result]).toMessages();

  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(JSON.stringify(messages)).not.toContain('signed');
});
