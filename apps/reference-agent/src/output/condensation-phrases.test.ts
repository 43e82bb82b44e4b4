import { expect, test } from 'vitest';
import { CondensationProgress } from './condensation-phrases.js';

const attempt = (outcome: string, reason: string) =>
  ({ type: 'condensation-attempt', id: outcome, condenser: 'small', outcome, reason }) as const;
const condensation = (forgotten: number) =>
  ({ type: 'condensation', id: 'c', tokensBefore: 9, tokensAfter: 9, forgotten, masked: 0 }) as const;
const request = (reason?: string) => ({ type: 'condensation-request', id: 'r', reason }) as const;

function linesOf(told: readonly Parameters<CondensationProgress['follow']>[0][]): readonly string[] {
  const course = new CondensationProgress();
  return told.flatMap((each) => course.follow(each)).map(({ text }) => text);
}

test('what was asked for and came to nothing is one line', () => {
  const failed = attempt('failed', 'no key');
  const unable = attempt('unavailable', 'No condensation is available: the model gave no summary: no key');
  expect(linesOf([request(), attempt('retried', 'x'), failed, unable, condensation(0)])).toEqual([
    'Nothing was condensed: the model gave no summary: no key',
  ]);
  expect(linesOf([request(), condensation(0)])).toEqual([
    'Nothing was condensed: the condenser found nothing that it may forget or mask',
  ]);
});

test('a failure before a condensation that changes something is told, and one that nobody asked for at once', () => {
  const unable = attempt('unavailable', 'x');
  const fallback = attempt('fallback', 'no key');
  expect(linesOf([request('it is too long'), unable, fallback, condensation(3)])).toEqual([
    'A condensation was asked for: it is too long',
    'small: fallback: no key',
  ]);
  const others = [attempt('refused-protected', 'of the user'), attempt('unsettled', 'three in a row')];
  expect(linesOf([attempt('failed', 'no key'), ...others])).toEqual([
    'small: failed: no key',
    'small: refused-protected: of the user',
    'small: unsettled: three in a row',
  ]);
  // Each condensation has its own attempts.
  expect(linesOf([request(), attempt('failed', 'old'), condensation(3), request(), condensation(0)])).toEqual([
    'small: failed: old',
    'Nothing was condensed: the condenser found nothing that it may forget or mask',
  ]);
});

test('the empty condensation of a revert says nothing', () => {
  expect(linesOf([request(), condensation(3), condensation(0)])).toEqual([]);
});
