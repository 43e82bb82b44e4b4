import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { estimateTokens } from '../index.js';

const text = 'x'.repeat(400);

test('four characters a token, four tokens for the frame', () => {
  const log = logBuilder();
  const action = log.action({ name: 'tool', input: 'x'.repeat(396) });
  const events = [
    log.user(text),
    log.agent([], { reasoningContent: text }),
    log.agent([], { thinkingBlocks: [{ type: 'thinking', thinking: text, signature: 'y'.repeat(9_999) }] }),
    action,
    log.observation(action, text),
    log.reject(action, text),
    log.error(action, text),
    log.summary(text),
    log.system(text),
  ];
  expect(events.map(estimateTokens)).toEqual(events.map(() => 104));
});

test('1,000 tokens for an image; opaque data counts nothing; tools count', () => {
  const log = logBuilder();
  expect(estimateTokens(log.user([{ type: 'image', url: `data:image/png;base64,${text}` }]))).toBe(1_004);
  expect(estimateTokens(log.agent([], { thinkingBlocks: [{ type: 'redacted-thinking', data: text }] }))).toBe(4);
  const tools = [{ name: 'tool', description: text, inputSchema: {} }];
  expect(estimateTokens(log.system('', { tools }))).toBeGreaterThan(104);
});
