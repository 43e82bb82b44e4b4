import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { expectedReads, pooledCache, recordedCache } from './recorded-cache.js';

/** A log with one answer for each pair of numbers: the tokens of its request, and those that the cache read. */
function logOf(answers: readonly (readonly [size: number, read: number] | 'condensation')[]) {
  const log = logBuilder();
  log.user('Go.');
  answers.forEach((answer, step) => {
    if (answer === 'condensation') {
      log.condensation([]);
      return;
    }
    const [size, read] = answer;
    const usage = { uncachedInputTokens: size - read, cacheReadTokens: read, cacheWriteTokens: 0, outputTokens: 1 };
    log.usage({ responseId: `response-${step}`, usage, model: 'claude-opus-5-5', purpose: 'agent' });
    log.agent('Done.');
  });
  return log.events;
}

test('a log without usage of two answers says nothing', () => {
  expect(recordedCache(logOf([]))).toBeUndefined();
  expect(recordedCache(logOf([[20_000, 0]]))).toBeUndefined();
});

test('usage that nobody reported says nothing', () => {
  const log = logOf([
    [20_000, 0],
    [22_000, 0],
  ]);
  expect(recordedCache(log)).toBeDefined();
  const estimated = log.map((event) => (event.type === 'llm-usage' ? { ...event, usageIsEstimated: true } : event));
  expect(recordedCache(estimated as typeof log)).toBeUndefined();
});

test('each answer should read the request before', () => {
  const log = logOf([
    [20_000, 0],
    [22_000, 20_000],
    [25_000, 21_900],
    [30_000, 5_000],
  ]);
  expect(recordedCache(log)).toEqual({
    answers: 3,
    expectedReadTokens: 20_000 + 22_000 + 25_000,
    reportedReadTokens: 20_000 + 21_900 + 5_000,
    drifts: { 'prefix-changed': 1 },
  });
  expect([...expectedReads(log)]).toEqual([
    ['response-1', 20_000],
    ['response-2', 22_000],
    ['response-3', 25_000],
  ]);
});

test('what stands behind a recorded condensation is left out, and sessions are pooled', () => {
  const session = recordedCache(logOf([[20_000, 0], 'condensation', [9_000, 0], [10_000, 0]]));
  expect(session).toMatchObject({ answers: 1, expectedReadTokens: 9_000, drifts: { 'not-reported': 1 } });
  expect(pooledCache([session, undefined, session])).toEqual({
    answers: 2,
    expectedReadTokens: 18_000,
    reportedReadTokens: 0,
    drifts: { 'not-reported': 2 },
  });
  expect(pooledCache([undefined])).toBeUndefined();
});
