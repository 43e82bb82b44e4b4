import { logBuilder } from '@palimpsest/events/testing';
import { View, ViewProjection } from '@palimpsest/view';
import type { AttemptReport } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { calibrationOf, promptCounts } from './calibration.js';
import { requirementOf } from './requirement.js';

/** A view of a log with these calls: what was sent, and what we had estimated. */
function viewWith(
  calls: readonly {
    readonly sent: number;
    readonly estimated?: number;
    readonly purpose?: string;
    readonly model?: string;
  }[],
) {
  const log = logBuilder();
  for (let index = 0; index < 10; index++) log.agent(`step ${index}`);
  for (const { sent, estimated, purpose, model = 'model' } of calls)
    log.usage({
      usage: {
        uncachedInputTokens: sent / 2,
        cacheReadTokens: sent / 4,
        cacheWriteTokens: sent / 4,
        outputTokens: 1e6,
      },
      estimatedInputTokens: estimated,
      purpose,
      model,
    });
  return View.fromEvents(log.events, { estimateTokens: () => 100 });
}

test('without usage in the log an estimated token is one token', () => {
  expect(calibrationOf(viewWith([]))).toBe(1);
  expect(calibrationOf(viewWith([{ sent: 9_000 }]))).toBe(1);
});

test('the median of the last five, so that one odd number changes nothing', () => {
  const calls = [4, 4, 1.4, 1.4, 4, 1.4, 1.2].map((ratio) => ({ sent: 2_000 * ratio, estimated: 2_000 }));
  expect(calibrationOf(viewWith(calls))).toBeCloseTo(1.4);
});

test('what is sent beside the view is taken off, and small views say nothing', () => {
  expect(calibrationOf(viewWith([{ sent: 5_000, estimated: 2_000 }]), 2_000)).toBeCloseTo(1.5);
  expect(calibrationOf(viewWith([{ sent: 9_000, estimated: 900 }]))).toBe(1);
  expect(calibrationOf(viewWith([{ sent: 1_500, estimated: 2_000 }]), 2_000)).toBe(1);
});

test('calls of condensers do not count, and no number is believed beyond 0.5 and 4', () => {
  expect(calibrationOf(viewWith([{ sent: 4_000, estimated: 2_000, purpose: 'llmSummarizing' }]))).toBe(1);
  expect(calibrationOf(viewWith([{ sent: 4_000, estimated: 2_000, purpose: 'agent' }]))).toBe(2);
  const three = (sent: number) => viewWith([1, 2, 3].map(() => ({ sent, estimated: 2_000 })));
  expect(calibrationOf(three(7_900))).toBe(3.95);
  expect(calibrationOf(three(600))).toBe(0.5);
  // No tokenizer differs by so much: the count is not that of the prompt.
  expect(calibrationOf(three(1e6))).toBe(1);
  expect(calibrationOf(three(1))).toBe(1);
});

test('the first usage counts, but one or two are not believed beyond what tokenizers differ by', () => {
  expect(calibrationOf(viewWith([{ sent: 2_600, estimated: 2_000 }]))).toBeCloseTo(1.3);
  expect(calibrationOf(viewWith([{ sent: 8_000, estimated: 2_000 }]))).toBe(2);
  expect(calibrationOf(viewWith([{ sent: 600, estimated: 2_000 }]))).toBe(0.8);
  const two = [1.1, 1.5].map((ratio) => ({ sent: 2_000 * ratio, estimated: 2_000 }));
  expect(calibrationOf(viewWith(two))).toBeCloseTo(1.3);
});

test('only usage of the model that was called last counts', () => {
  const before = [1, 2, 3].map(() => ({ sent: 3_600, estimated: 2_000, model: 'before' }));
  expect(calibrationOf(viewWith([...before, { sent: 2_200, estimated: 2_000, model: 'now' }]))).toBeCloseTo(1.1);
  const back = [...before, { sent: 2_200, estimated: 2_000, model: 'between' }, ...before.slice(0, 1)];
  expect(calibrationOf(viewWith(back))).toBeCloseTo(1.8);
});

test('usage without an estimate of what was sent, as in an imported log, does not count', () => {
  expect(calibrationOf(viewWith([{ sent: 9_000 }, { sent: 2_400, estimated: 2_000 }, { sent: 9_000 }]))).toBeCloseTo(
    1.2,
  );
});

test('a view of 1000 estimated tokens is over 1500 when two of the provider make one of ours', () => {
  const limits = { maxSize: 100, maxTokens: 1_500 };
  const report = () => {};
  expect(requirementOf(viewWith([]), { report }, limits).level).toBe('none');
  expect(requirementOf(viewWith([{ sent: 4_000, estimated: 2_000 }]), { report }, limits)).toEqual({
    level: 'hard',
    reasons: ['tokens'],
    tokenBudget: 750,
  });
});

/** The provider's tokens for each that we estimate. */
const ratio = 1.3;
const fixedTokens = 2_000;

/** What servers report of a prompt of `sent` tokens, of which the cache holds `cached`. */
const servers = {
  'the whole prompt': () => (sent: number) => sent,
  'what the cache did not hold': () => (sent: number, cached: number) => sent - cached,
  'the sum of all calls': () => {
    let sum = 0;
    return (sent: number) => (sum += sent);
  },
  nothing: () => () => 0,
} as const;

/** A session of 200 calls that is condensed at 25,000 tokens, and the calibration at each call from the second on. */
function session(server: keyof typeof servers) {
  const reported = servers[server]();
  const log = logBuilder();
  const projection = new ViewProjection({ estimateTokens: () => 500 });
  const calibrations: number[] = [];
  const reports: AttemptReport[] = [];
  let read = 0;
  let cached = 0;
  const view = () => {
    for (; read < log.events.length; read++) projection.append(log.events[read] as never);
    return projection.view;
  };
  for (let call = 0; call < 200; call++) {
    log.agent(`step ${call}`);
    const tokens = view().tokens();
    const sent = Math.round((tokens + fixedTokens) * ratio);
    if (call > 12) {
      log.usage({
        usage: {
          uncachedInputTokens: reported(sent, cached),
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 1,
        },
        estimatedInputTokens: tokens,
      });
      cached = sent;
      calibrations.push(calibrationOf(view(), fixedTokens));
      const report = (attempt: AttemptReport) => {
        reports.push(attempt);
        log.attempt(attempt);
      };
      requirementOf(view(), { report, fixedTokens }, { maxSize: Infinity });
    }
    if (tokens > 25_000) {
      log.condensation([...view().events].slice(0, 30).map(({ id }) => id));
      // The instructions and the tools stay in the cache.
      cached = Math.round(fixedTokens * ratio);
    }
  }
  return { calibrations, reports, counts: promptCounts(view(), fixedTokens) };
}

test('whole prompts are believed, and nothing is said', () => {
  const { calibrations, reports, counts } = session('the whole prompt');
  expect(Math.min(...calibrations)).toBeGreaterThan(ratio);
  expect(counts.believed.length).toBe(187);
  expect(reports).toEqual([]);
});

test.each(['what the cache did not hold', 'the sum of all calls', 'nothing'] as const)(
  'a server that reports %s does not make estimates smaller or larger than they are, and it is said once',
  (server) => {
    const { calibrations, reports } = session(server);
    expect(Math.min(...calibrations)).toBeGreaterThanOrEqual(server === 'nothing' ? 1 : ratio);
    expect(Math.max(...calibrations)).toBeLessThan(1.6);
    expect(reports.map(({ outcome }) => outcome)).toEqual(['usage-ignored']);
  },
);
