import { createEvent } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { Agent } from './agent.js';
import { Conversation } from './conversation/conversation.js';
import { noRunUsage, withCallOf } from './limits.js';

const usage = { uncachedInputTokens: 900, cacheReadTokens: 50, cacheWriteTokens: 40, outputTokens: 10 };

describe("the cost of condensers' model calls counts", () => {
  test('with a condensation, without one, and with only a price', () => {
    const events = [
      createEvent('condensation', { forgottenEventIds: ['a'], metadata: { usage, costUsd: 0.25 } }),
      createEvent('condensation-attempt', { condenser: 'c', outcome: 'failed', reason: '', data: { usage } }),
      createEvent('condensation-attempt', { condenser: 'c', outcome: 'failed', reason: '', data: { costUsd: 0.5 } }),
      createEvent('condensation', { forgottenEventIds: ['b'], metadata: { usage: 'much', costUsd: 'a lot' } }),
      createEvent('condensation', { forgottenEventIds: ['c'] }),
    ];
    expect(events.reduce(withCallOf, noRunUsage)).toEqual({
      iterations: 0,
      tokens: 2_000,
      costUsd: 0.75,
      callsWithoutCost: 1,
    });
  });

  test('a run ends at its limit though the agent’s own calls are far from it', async () => {
    const dear: Condenser = {
      name: 'dear',
      condense: (view) =>
        view.events.length > 4
          ? condensation({ view, start: 1, end: view.events.length - 1, metadata: { usage, costUsd: 0.2 } })
          : view,
    };
    const prices = { input: 0.001, cacheRead: 0.001, cacheWrite: 0.001, output: 0.001 };
    const llm = scriptedLLM({ script: () => ({ toolCalls: [{ name: 'none' }] }), prices });
    for (const limits of [{ maxCostUsd: 0.5 }, { maxTokens: 2_500 }]) {
      const conversation = await Conversation.open({
        agent: new Agent({ llm, condenser: dear }),
        stuckDetection: false,
        limits: { ...limits, maxIterations: 60 },
      });
      await conversation.send('Go.');
      await expect(conversation.run()).rejects.toMatchObject({
        cause: { limit: 'maxCostUsd' in limits ? 'cost-usd' : 'tokens' },
      });
      expect([...conversation.events].filter(({ type }) => type === 'condensation')).toHaveLength(3);
    }
  });
});

test.each([
  { maxIterations: 0 },
  { maxIterations: NaN },
  { maxIterations: 2.5 },
  { maxTokens: NaN },
  { maxTokens: -1 },
  { maxCostUsd: 0 },
])('a limit that makes no sense is refused at once: %o', async (limits) => {
  const agent = new Agent({ llm: scriptedLLM({ script: [] }) });
  await expect(Conversation.open({ agent, limits })).rejects.toThrow(RangeError);
});

test.each([
  { toolConcurrency: 0 },
  { toolConcurrency: NaN },
  { toolTimeoutMs: 0 },
  { toolTimeoutMs: NaN },
  { maxOutputTokens: 0.5 },
])('so is an option of an agent: %o', (options) => {
  expect(() => new Agent({ llm: scriptedLLM({ script: [] }), ...options })).toThrow(RangeError);
});
