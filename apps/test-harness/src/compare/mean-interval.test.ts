import { expect, test } from 'vitest';
import { meanInterval, tasksNeeded } from './mean-interval.js';

test('the interval is that of a worked example', () => {
  // Ten hours of sleep by two drugs: Student, "The probable error of a mean" (1908).
  const hours = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];
  const interval = meanInterval(hours);
  expect(interval?.mean).toBeCloseTo(1.58, 10);
  expect(interval?.low).toBeCloseTo(0.7001, 4);
  expect(interval?.high).toBeCloseTo(2.4599, 4);
});

test('one value, and equal values, have no interval', () => {
  expect(meanInterval([])).toBeUndefined();
  expect(meanInterval([1])).toBeUndefined();
  expect(meanInterval([0.1, 0.1, 0.1])).toBeUndefined();
});

test('the tasks that are needed are those of the tables of the t test', () => {
  // Half a standard deviation is seen in four of five with 34 pairs, a fifth with 199, a whole one with 10.
  expect(tasksNeeded({ mean: 0.5, sd: 1 })).toBe(34);
  expect(tasksNeeded({ mean: -0.2, sd: 1 })).toBe(199);
  expect(tasksNeeded({ mean: 1, sd: 1 })).toBe(10);
  expect(tasksNeeded({ mean: 0.001, sd: 1 })).toBeUndefined();
  expect(tasksNeeded({ mean: 0, sd: 1 })).toBeUndefined();
});
