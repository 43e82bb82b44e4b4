import { describe, expect, it } from 'vitest';
import { costOf } from './prices.js';
import { estimateInputTokens, estimateUsage, noUsage, sumUsage, totalInputTokens } from './usage.js';

const usage = { uncachedInputTokens: 100, cacheReadTokens: 2_000, cacheWriteTokens: 300, outputTokens: 40 };

describe('sumUsage', () => {
  it('adds every count, and has reasoning tokens when one of them does', () => {
    expect(sumUsage([])).toEqual(noUsage);
    expect(sumUsage([usage, usage])).toEqual({
      uncachedInputTokens: 200,
      cacheReadTokens: 4_000,
      cacheWriteTokens: 600,
      outputTokens: 80,
    });
    expect(sumUsage([usage, { ...usage, reasoningTokens: 7 }]).reasoningTokens).toBe(7);
  });
});

describe('totalInputTokens', () => {
  it('counts cached input too', () => expect(totalInputTokens(usage)).toBe(2_400));
});

describe('costOf', () => {
  it('takes each kind of token at its own price', () => {
    // Claude Opus 5.5: 100 × 4 + 2,000 × 0.20 + 300 × 5 + 40 × 20 = 3,100 millionths.
    expect(costOf(usage, { input: 4, cacheRead: 0.2, cacheWrite: 5, output: 20 })).toBeCloseTo(0.0031, 10);
  });
});

describe('estimateInputTokens', () => {
  it('takes the estimate of the text and four tokens a message', () => {
    const message = { role: 'user' as const, content: [{ type: 'text' as const, text: 'x'.repeat(400) }] };
    expect(estimateInputTokens({ messages: [message, message] })).toBe(208);
  });

  it('counts tools, calls, thinking text and images, not signatures', () => {
    const tools = [{ name: 'run', description: '12345', inputSchema: {} }];
    expect(estimateInputTokens({ messages: [], tools })).toBe(4);
    const toolCalls = [{ id: 'call-1', name: 'run', arguments: '{"a":1}' }];
    expect(estimateInputTokens({ messages: [{ role: 'assistant', content: [], toolCalls }] })).toBe(4 + 6);
    const thinkingBlocks = [{ type: 'thinking' as const, thinking: '1234', signature: 'x'.repeat(1_000) }];
    expect(estimateInputTokens({ messages: [{ role: 'assistant', content: [], thinkingBlocks }] })).toBe(4 + 2);
    const content = [{ type: 'image' as const, url: `data:image/png;base64,${'A'.repeat(100_000)}` }];
    expect(estimateInputTokens({ messages: [{ role: 'user', content }] })).toBe(4 + 1_000);
  });

  it('gives the usage of a call with nothing cached', () => {
    const answer = { role: 'assistant' as const, content: [{ type: 'text' as const, text: '12345678' }] };
    expect(estimateUsage({ messages: [] }, answer)).toEqual({ ...noUsage, outputTokens: 7 });
  });
});
