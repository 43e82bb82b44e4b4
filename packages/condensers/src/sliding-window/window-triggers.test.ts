import { describe, expect, test } from 'vitest';
import { selectInvocations } from './window-triggers.js';

/** The windows of so many invocations, each with the number of the invocation after which it was selected. */
function windows(
  interval: number,
  overlap: number,
  invocations: number,
  fails: (after: number) => boolean = () => false,
) {
  const isNew: boolean[] = [];
  const selected: string[] = [];
  for (let after = 1; after <= invocations; after++) {
    isNew.push(true);
    const range = selectInvocations(
      isNew.map((fresh) => ({ isNew: fresh })),
      { interval, overlap },
    );
    if (range === undefined || fails(after)) continue;
    selected.push(`${after}: ${range.first + 1}–${range.last + 1}`);
    for (let index = range.first; index <= range.last; index++) isNew[index] = false;
  }
  return selected;
}

describe('the windows of the worked example', () => {
  test.each([
    { interval: 3, overlap: 1, expected: ['3: 1–3', '6: 3–6', '9: 6–9'] },
    { interval: 2, overlap: 1, expected: ['2: 1–2', '4: 2–4', '6: 4–6', '8: 6–8'] },
    { interval: 3, overlap: 0, expected: ['3: 1–3', '6: 4–6', '9: 7–9'] },
    {
      interval: 1,
      overlap: 0,
      expected: Array.from({ length: 9 }, (_, index) => `${index + 1}: ${index + 1}–${index + 1}`),
    },
    { interval: 3, overlap: 5, expected: ['3: 1–3', '6: 1–6', '9: 2–9'] },
    { interval: 2, overlap: 2, expected: ['2: 1–2', '4: 1–4', '6: 3–6', '8: 5–8'] },
  ])('interval $interval, overlap $overlap', ({ interval, overlap, expected }) => {
    expect(windows(interval, overlap, 9)).toEqual(expected);
  });

  test('a fourth window with an overlap larger than the interval', () => {
    expect(windows(3, 5, 12).at(-1)).toBe('12: 5–12');
  });
});

test('a window that failed is larger at the next chance, and the cadence goes on from there', () => {
  expect(windows(3, 1, 11, (after) => after === 3 || after === 4)).toEqual(['5: 1–5', '8: 5–8', '11: 8–11']);
});

test('invocations between new ones are read again', () => {
  const isNew = [true, true, false, false, true];
  expect(
    selectInvocations(
      isNew.map((fresh) => ({ isNew: fresh })),
      { interval: 3, overlap: 0 },
    ),
  ).toEqual({
    first: 0,
    last: 4,
  });
});

test('nothing new, nothing selected', () => {
  expect(selectInvocations([], { interval: 1, overlap: 3 })).toBeUndefined();
  expect(selectInvocations([{ isNew: false }], { interval: 1, overlap: 3 })).toBeUndefined();
});
