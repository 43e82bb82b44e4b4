import { amortizedForgettingCondenser, llmSummarizingCondenser, pipelineCondenser } from '@palimpsest/condensers';
import { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { CondenserTimeoutError } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, it } from 'vitest';
import { chatHistory } from '../test-support/chat-loop.js';
import { chatMessages, condensedHistory } from './index.js';

const hangs = () => {
  let asked = 0;
  const condense = () => {
    asked++;
    return new Promise<never>(() => undefined);
  };
  return { name: 'hangs', condense, asked: () => asked } satisfies Condenser & { asked: () => number };
};

it('a condenser that hangs is given up, with the problem, and held back; after an overflow a hard reset takes its place', async () => {
  const condenser = hangs();
  const history = condensedHistory({ condenser, codec: chatMessages(), condenserTimeoutMs: 1 });
  const list = chatHistory(30);
  const fitted = await history.fit(list);
  expect(fitted.messages).toEqual(list);
  expect(fitted.problem).toBeInstanceOf(CondenserTimeoutError);
  expect(fitted.reports).toMatchObject([{ outcome: 'timed-out' }]);
  expect((await history.fit(list)).problem).toBeUndefined();
  const error = new ContextWindowExceededError('too long', { provider: 'x', kind: 'input', contextWindow: 2_000 });
  const again = await history.afterError(error, fitted);
  expect(again?.tokensAfter).toBeLessThan(2_000);
  expect(condenser.asked()).toBe(1);
});

it('makes no new condensation where it is asked not to, and keeps those that were made', async () => {
  const history = condensedHistory({ condenser: amortizedForgettingCondenser({ maxSize: 30 }), codec: chatMessages() });
  const list = chatHistory(30);
  expect((await history.fit(list, { condense: false })).state).toBe('untouched');
  const { messages } = await history.fit(list);
  const longer = chatHistory(60);
  const fitted = await history.fit(longer, { condense: false });
  expect(fitted.condensations).toEqual([]);
  expect(fitted.messages.slice(0, messages.length)).toEqual(messages);
});

it('waits for a condenser with a model as long as the calls of its model may take', () => {
  const llm = { model: 'm', complete: () => Promise.reject(new Error('not asked')) };
  const condenser = llmSummarizingCondenser({ llm, modelCall: { timeoutMs: 400_000 } });
  expect(condenser.timeoutMs).toBeGreaterThanOrEqual(400_000);
  expect(pipelineCondenser([condenser]).stages?.[0]?.timeoutMs).toBe(condenser.timeoutMs);
});
