import { describe, expect, test } from 'vitest';
import { slidingWindowCondenser } from './sliding-window.js';
import { readingSummarizer, Session } from '../../test-support/window-session.js';

function windowing(compactionInterval: number, overlapSize: number, more: { readonly maxSummaries?: number } = {}) {
  const { summarizer, inputs } = readingSummarizer();
  const session = new Session(slidingWindowCondenser({ compactionInterval, overlapSize, summarizer, ...more }));
  return { session, inputs };
}

describe('the worked example', () => {
  test.each([
    {
      interval: 3,
      overlap: 1,
      windows: ['3: S(1-3)', '6: S(3-6)', '9: S(6-9)'],
      summaries: ['S(1-3)', 'S(3-6)', 'S(6-9)'],
    },
    {
      interval: 2,
      overlap: 1,
      windows: ['2: S(1-2)', '4: S(2-4)', '6: S(4-6)', '8: S(6-8)'],
      summaries: ['S(1-2)', 'S(2-4)', 'S(4-6)', 'S(6-8)'],
    },
    {
      interval: 3,
      overlap: 0,
      windows: ['3: S(1-3)', '6: S(4-6)', '9: S(7-9)'],
      summaries: ['S(1-3)', 'S(4-6)', 'S(7-9)'],
    },
    {
      interval: 1,
      overlap: 0,
      windows: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${n}: S(${n})`),
      summaries: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `S(${n})`),
    },
    { interval: 3, overlap: 5, windows: ['3: S(1-3)', '6: S(1-6)', '9: S(2-9)'], summaries: ['S(1-6)', 'S(2-9)'] },
    {
      interval: 2,
      overlap: 2,
      windows: ['2: S(1-2)', '4: S(1-4)', '6: S(3-6)', '8: S(5-8)'],
      summaries: ['S(1-4)', 'S(3-6)', 'S(5-8)'],
    },
  ])('interval $interval, overlap $overlap', async ({ interval, overlap, windows, summaries }) => {
    const { session } = windowing(interval, overlap);
    await session.run(10);
    expect(session.windows).toEqual(windows);
    expect(session.shown.filter((text) => text.startsWith('S('))).toEqual(summaries);
    expect(session.shown.slice(0, 2)).toEqual(['system-prompt', 'request 1']);
    expect(session.shown.slice(-2)).toEqual(['observation', 'answer 10']);
  });
});
