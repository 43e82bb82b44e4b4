import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { calibrationOf } from './calibration.js';
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
