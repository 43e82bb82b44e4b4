import type { Usage } from '@palimpsest/events';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { anthropicLLM } from '../anthropic/index.js';
import { ContextWindowExceededError, LLMError, ServiceUnavailableError } from '../errors.js';
import type { CompletionRequest, LLM, RateWait } from '../llm.js';
import { noUsage } from '../usage.js';
import { openaiLLM } from '../openai/index.js';
import { llmContract } from '../testing/llm-contract.js';
import { scriptedLLM } from '../testing/scripted-llm.js';
import { scriptedScenario } from '../../test-support/scripted-scenario.js';
import { limitedLLM } from './limited-llm.js';
import { rateLimit } from './rate-limit.js';
import type { RateCost, RateLimit } from './rate-limit.js';

describe('a limited model', () => {
  llmContract({
    test,
    create: (scenario) => {
      const made = scriptedScenario(scenario);
      return { ...made, llm: limitedLLM(made.llm, { limit: rateLimit({ requestsPerMinute: 6_000 }) }) };
    },
  });
});

/** A limit that records what it is asked, and lets all through. */
function recordingLimit() {
  const asked: string[] = [];
  const acquired: RateCost[] = [];
  const corrected: RateCost[] = [];
  const limit: RateLimit = {
    acquire: async (cost) => {
      asked.push('acquire');
      acquired.push(cost);
    },
    correct: async (_, actual) => {
      asked.push('correct');
      corrected.push(actual);
    },
    pause: async (ms) => void asked.push(`pause ${ms}`),
  };
  return { limit, asked, acquired, corrected };
}

const text = (words: string) => [{ type: 'text' as const, text: words }];
const request: CompletionRequest = { messages: [{ role: 'user', content: text('Hello?') }] };
const usage: Usage = {
  ...noUsage,
  uncachedInputTokens: 10,
  cacheReadTokens: 1_000,
  cacheWriteTokens: 100,
  outputTokens: 7,
};

test.each([
  ['openai', undefined, 1_110],
  ['compatible', undefined, 1_110],
  ['anthropic', undefined, 110],
  ['anthropic', true, 1_110],
  ['openai', false, 110],
] as const)('%s, cache reads count: %s', async (provider, countsCacheReads, inputTokens) => {
  const { limit, corrected } = recordingLimit();
  const scripted: LLM = {
    ...scriptedLLM({ script: [{ text: 'Hello.', usage }] }),
    facts: { provider } as LLM['facts'],
  };
  await limitedLLM(scripted, { limit, countsCacheReads }).complete(request);
  expect(corrected).toEqual([{ inputTokens, outputTokens: 7 }]);
});

test('before a call, its input is estimated, and its output by the answers before', async () => {
  const { limit, acquired } = recordingLimit();
  const answer = { text: 'Hello.', usage: { ...usage, outputTokens: 500 } };
  const llm = limitedLLM(scriptedLLM({ script: [answer, answer, answer] }), {
    limit,
    count: ({ messages }) => messages.length * 100,
  });
  await llm.complete(request);
  await llm.complete({ ...request, maxOutputTokens: 50 });
  await llm.complete(request);
  expect(acquired).toEqual([
    { inputTokens: 100, outputTokens: 1_000 },
    { inputTokens: 100, outputTokens: 50 },
    { inputTokens: 100, outputTokens: 820 },
  ]);
});

test('what the cache holds is not estimated where the provider does not count it', async () => {
  const { limit, acquired } = recordingLimit();
  const llm = limitedLLM(scriptedLLM({ script: ['One.', 'Two.', 'Three.'] }), {
    limit,
    countsCacheReads: false,
    count: ({ messages, tools = [] }) => messages.length * 100 + tools.length,
  });
  const tools = [{ name: 'look', description: 'Looks.', inputSchema: {} }];
  const messages = ['a', 'b', 'c'].map((words) => ({ role: 'user' as const, content: text(words) }));
  for (const cachedMessages of [0, 2, { messages: 1, parts: 1 }]) {
    await llm.complete({ messages, tools, cache: { cachedMessages } });
  }
  expect(acquired.map(({ inputTokens }) => inputTokens)).toEqual([301, 100, 200]);
});

const apiKey = 'a-key';
const providers = {
  openai: async (faults: readonly object[]) => {
    const server = await openaiServer({
      reply: (_, index) => (faults[index] as undefined) ?? { message: { content: 'Hello.' } },
    });
    onTestFinished(() => server.close());
    const llm = openaiLLM({ model: 'gpt-4o', apiKey, baseURL: server.baseURL, retry: { minDelayMs: 1 } });
    return { llm, server };
  },
  anthropic: async (faults: readonly object[]) => {
    const server = await anthropicServer({
      reply: (_, index) => (faults[index] as undefined) ?? { content: [{ type: 'text', text: 'Hello.' }] },
    });
    onTestFinished(() => server.close());
    const llm = anthropicLLM({ model: 'claude-haiku-4-5', apiKey, baseURL: server.baseURL, retry: { minDelayMs: 1 } });
    return { llm, server };
  },
};

describe.each(Object.entries(providers))('%s', (_name, behindServer) => {
  test('each try is counted, and a refusal that asks for a wait holds everybody back', async () => {
    const { llm, server } = await behindServer([
      { fault: 'overloaded' },
      { fault: 'rate-limit', retryAfterSeconds: 1 },
    ]);
    const { limit, asked } = recordingLimit();
    const told: string[] = [];
    const { message } = await limitedLLM(llm, { limit }).complete({
      ...request,
      onRetry: ({ error }) => told.push(error.name),
    });
    expect(message.content).toEqual(text('Hello.'));
    expect(asked).toEqual(['acquire', 'acquire', 'correct', 'pause 1000', 'acquire', 'correct']);
    expect([told, server.requests.length]).toEqual([['ServiceUnavailableError', 'RateLimitError'], 3]);
  });

  test('a try after a failure waits for the limit, and an abort ends the wait', async () => {
    const { llm, server } = await behindServer([{ fault: 'overloaded' }]);
    const aborter = new AbortController();
    const waits: RateWait[] = [];
    const limit = rateLimit({ requestsPerMinute: 1 });
    const call = limitedLLM(llm, { limit, onWait: (wait) => waits.push(wait) }).complete({
      ...request,
      signal: aborter.signal,
      onWait: () => aborter.abort(new Error('enough')),
    });
    await expect(call).rejects.toThrow('enough');
    expect([waits.length, server.requests.length]).toEqual([1, 1]);
    expect(waits[0]?.waitMs).toBeGreaterThan(1_000);
  });

  test('a request that is refused for good costs no tokens', async () => {
    const { llm } = await behindServer([{ fault: 'spend-limit' }]);
    const { limit, corrected } = recordingLimit();
    await expect(limitedLLM(llm, { limit }).complete(request)).rejects.toThrow(LLMError);
    expect(corrected).toEqual([{}]);
  });

  test('a streamed answer is streamed', async () => {
    const { llm } = await behindServer([]);
    let streamed = '';
    await limitedLLM(llm, { limit: rateLimit({ requestsPerMinute: 60 }) }).complete({
      ...request,
      onDelta: (delta) => {
        if (delta.type === 'text') streamed += delta.text;
      },
    });
    expect(streamed).toBe('Hello.');
  });
});

test('models that share a limit wait for each other', async () => {
  const limit = rateLimit({ requestsPerMinute: 1 });
  const [one, other] = [scriptedLLM({ script: ['One.'] }), scriptedLLM({ script: ['Other.'] })];
  await limitedLLM(one, { limit }).complete(request);
  const aborter = new AbortController();
  const call = limitedLLM(other, { limit }).complete({
    ...request,
    signal: aborter.signal,
    onWait: () => aborter.abort(new Error('enough')),
  });
  await expect(call).rejects.toThrow('enough');
  expect(other.requests).toEqual([]);
});

test('without an answer of the limit nothing is sent; an answer is kept though it cannot be counted', async () => {
  const gone = () => Promise.reject(new Error('the database is gone'));
  const scripted = scriptedLLM({ script: ['Hello.'] });
  const { limit } = recordingLimit();
  await expect(limitedLLM(scripted, { limit: { ...limit, acquire: gone } }).complete(request)).rejects.toThrow('gone');
  expect(scripted.requests).toEqual([]);
  const { message } = await limitedLLM(scripted, { limit: { ...limit, correct: gone } }).complete(request);
  expect(message.content).toEqual(text('Hello.'));
});

test('what the provider has not read is given back, and what it may have read is not', async () => {
  const provider = 'scripted';
  const overflow = new ContextWindowExceededError('too long', { provider, kind: 'input' });
  const failure = new ServiceUnavailableError('failed', { provider });
  const scripted = scriptedLLM({ script: [overflow, failure] });
  const { limit, corrected } = recordingLimit();
  await expect(limitedLLM(scripted, { limit }).complete(request)).rejects.toBe(overflow);
  expect(corrected).toEqual([{}]);
  await expect(limitedLLM(scripted, { limit }).complete(request)).rejects.toBe(failure);
  expect(corrected).toEqual([{}]);
});

test('the model is described as it is, and counting does not wait', async () => {
  const { limit, asked } = recordingLimit();
  const prices = { input: 1, cacheRead: 1, cacheWrite: 1, output: 1 };
  const inner: LLM = {
    ...scriptedLLM({ script: [], model: 'm', contextWindow: 5, prices }),
    countTokens: async ({ messages }) => messages.length,
  };
  const llm = limitedLLM(inner, { limit });
  expect(llm).toMatchObject({ model: 'm', contextWindow: 5, prices });
  expect(await llm.countTokens?.(request)).toBe(1);
  expect(asked).toEqual([]);
  expect('countTokens' in limitedLLM(scriptedLLM({ script: [] }), { limit })).toBe(false);
});
