import type { Message } from '@palimpsest/events';
import { anthropicServer } from '@palimpsest/provider-servers';
import { expect, it, onTestFinished } from 'vitest';
import { anthropicLLM } from './llm.js';
import type { MessagesOptions } from './request-plan.js';
import { toMessagesRequest } from './request.js';

const user = (words: string): Message => ({ role: 'user', content: [{ type: 'text', text: words }] });
const limitOf = (options: MessagesOptions, words = 'Go.') =>
  toMessagesRequest({ messages: [user(words)] }, options).max_tokens;

it.each([
  ['claude-opus-5-5', 128_000],
  ['claude-haiku-4-5', 64_000],
  ['claude-3-5-haiku', 8_192],
  ['claude-of-tomorrow', 16_000],
])('the limit of an answer is the model’s own: %s, %d tokens', (model, tokens) => {
  expect(limitOf({ model })).toBe(tokens);
});

it('is lowered to what the window leaves, and never below what condensers reserve', () => {
  const words = 'word '.repeat(125_000);
  const left = limitOf({ model: 'claude-haiku-4-5' }, words);
  expect(left).toBeLessThan(64_000);
  expect(left).toBeGreaterThan(30_000);
  expect(limitOf({ model: 'claude-haiku-4-5', contextWindow: 20_000 }, words)).toBe(2_500);
  expect(limitOf({ model: 'claude-haiku-4-5', contextWindow: 100_000 }, words)).toBe(4_096);
  // What is set stays, up to the model's own.
  expect(limitOf({ model: 'claude-haiku-4-5', maxOutputTokens: 100_000 }, words)).toBe(64_000);
});

it('does not change the budget of thinking as the history grows, which would void the cache', () => {
  const budgets = ['Go.', 'word '.repeat(125_000)].map(
    (words) => toMessagesRequest({ messages: [user(words)] }, { model: 'claude-haiku-4-5', thinking: 'on' }).thinking,
  );
  expect(budgets[0]).toEqual(budgets[1]);
});

it('may be long whether anybody listens or not, because every request is streamed', async () => {
  const server = await anthropicServer({ reply: () => ({ content: [{ type: 'text', text: 'Hello.' }] }) });
  onTestFinished(() => server.close());
  const llm = anthropicLLM({ model: 'claude-opus-5-5', apiKey: 'key', baseURL: server.url, effort: 'high' });
  await llm.complete({ messages: [user('Go.')], effort: 'low' });
  expect(server.requests[0]?.body).toMatchObject({
    max_tokens: 128_000,
    stream: true,
    output_config: { effort: 'low' },
  });
});
