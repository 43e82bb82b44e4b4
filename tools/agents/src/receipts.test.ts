import { expect, it } from 'vitest';
import { receiptProblems } from './receipts.js';
import type { Trial } from './trial.js';

const trialOf = (usd: number, receipts?: Trial['receipts']): Trial => ({
  ...{ exchanges: [], looks: [], bill: 0, usd, stepsDone: 0, steps: 0, looksAgain: 0, lost: 0 },
  ...{ finished: [], saved: undefined, receipts },
});

it.each([
  ['what is right', { actual: 1, control: 2.01, condensations: 1 }, 'exact', []],
  [
    'a bill that is not the provider’s',
    { actual: 1.02, control: 2, condensations: 1 },
    'none',
    [/\$1\.0200.*\$1\.0000/],
  ],
  ['a control that was dearer', { actual: 1, control: 1.95, condensations: 1 }, 'exact', [/\$1\.9500.*\$2\.0000/]],
  ['less saved than there was', { actual: 1, control: 1.5, condensations: 1 }, 'varying', []],
  ['more saved than there was', { actual: 1, control: 2.01, condensations: 1 }, 'varying', [/\$2\.0100/]],
] as const)('judges %s', (_, receipts, need, expected) => {
  const problems = receiptProblems(trialOf(1, receipts), need, trialOf(2));
  expect(problems).toEqual(expected.map((words) => expect.stringMatching(words) as unknown));
});

it('needs no control to compare a bill', () => {
  expect(receiptProblems(trialOf(1, { actual: 2, control: 3, condensations: 1 }), 'exact', undefined)).toHaveLength(1);
  expect(receiptProblems(trialOf(1), 'exact', trialOf(5))).toEqual([]);
});
