import { expect, test } from 'vitest';
import { studentQuantile } from './student.js';

test('quantiles are those of printed tables', () => {
  const printed = [
    [0.975, 1, 12.7062],
    [0.975, 2, 4.3027],
    [0.975, 3, 3.1824],
    [0.975, 5, 2.5706],
    [0.975, 11, 2.201],
    [0.975, 23, 2.0687],
    [0.975, 99, 1.9842],
    [0.8, 10, 0.8791],
    [0.995, 30, 2.75],
  ] as const;
  for (const [probability, degrees, value] of printed)
    expect(studentQuantile(probability, degrees)).toBeCloseTo(value, 4);
  expect(studentQuantile(0.025, 7)).toBe(-studentQuantile(0.975, 7));
  expect(studentQuantile(0.5, 4)).toBeCloseTo(0, 9);
});
