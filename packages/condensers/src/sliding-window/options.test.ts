import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { describe, expect, test } from 'vitest';
import { readingSummarizer, Session } from '../../test-support/window-session.js';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { slidingWindowCondenser } from './sliding-window.js';
import type { SlidingWindowOptions } from './sliding-window.js';

const { summarizer } = readingSummarizer();
const llm = scriptedLLM({ script: ['S'] });
const invocations = { compactionInterval: 3, overlapSize: 1 };
const tokens = { tokenThreshold: 1_000, eventRetentionSize: 10 };

describe('refused, with the option that is wrong and what to do', () => {
  const wrong: readonly [option: string, options: SlidingWindowOptions, says: RegExp][] = [
    ['compactionInterval', { summarizer }, /or all four/],
    ['overlapSize', { summarizer, compactionInterval: 3 }, /'compactionInterval' needs it/],
    ['compactionInterval', { summarizer, overlapSize: 1 }, /no effect without it/],
    ['eventRetentionSize', { summarizer, tokenThreshold: 3 }, /'tokenThreshold' needs it/],
    ['tokenThreshold', { summarizer, ...invocations, eventRetentionSize: 1 }, /no effect without it/],
    ['compactionInterval', { summarizer, compactionInterval: 0, overlapSize: 1 }, /at least 1, not 0/],
    ['compactionInterval', { summarizer, compactionInterval: 1.5, overlapSize: 1 }, /whole number/],
    ['overlapSize', { summarizer, compactionInterval: 3, overlapSize: -1 }, /at least 0, not -1/],
    ['tokenThreshold', { summarizer, tokenThreshold: 0, eventRetentionSize: 1 }, /at least 1/],
    ['eventRetentionSize', { summarizer, tokenThreshold: 1, eventRetentionSize: -1 }, /at least 0/],
    ['maxSummaries', { summarizer, ...invocations, maxSummaries: 0 }, /at least 1/],
    ['maxSummaryTokens', { summarizer, ...invocations, maxSummaryTokens: 0 }, /at least 1/],
    ['modelCall.timeoutMs', { summarizer, ...invocations, modelCall: { timeoutMs: 0 } }, /at least 1/],
    ['llm', invocations, /a model, or a 'summarizer'/],
    ['compactor', { ...invocations, summarizer, compactor: summarizer }, /another name for 'summarizer'/],
    ['summarizer', { ...invocations, summarizer, llm }, /one of them/],
    ['compactor', { ...invocations, compactor: summarizer, llm }, /one of them/],
    [
      'modelCall.prompt',
      { ...invocations, summarizer, modelCall: { prompt: '{{ events }}' } },
      /llmSummarizer\(\{ llm, prompt \}\)/,
    ],
    ['summarizer', { ...invocations, summarizer: {} as never }, /'summarize'/],
    ['modelCall.prompt', { ...invocations, llm, modelCall: { prompt: 'no events at all' } }, /events/],
  ];
  test.each(wrong)('%s of %j', (option, options, says) => {
    let error: unknown;
    try {
      slidingWindowCondenser(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InvalidCondenserConfigError);
    const { message, option: named } = error as InvalidCondenserConfigError;
    expect({ named, message }).toEqual({ named: option, message: expect.stringMatching(says) });
  });
});

test.each([
  { ...invocations, summarizer },
  { ...tokens, summarizer },
  { ...invocations, ...tokens, llm },
  { compactionInterval: 1, overlapSize: 0, compactor: summarizer },
] satisfies SlidingWindowOptions[])('taken: %j', (options) => {
  expect(slidingWindowCondenser(options).name).toBe('slidingWindow');
});

test('compactor is the summarizer by another name', async () => {
  const own = readingSummarizer();
  const session = new Session(slidingWindowCondenser({ ...invocations, compactor: own.summarizer }));
  await session.run(3);
  await session.request();
  expect(own.inputs).toHaveLength(1);
  expect(session.windows).toEqual(['3: S(1-3)']);
});
