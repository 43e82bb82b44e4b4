import { expect, test } from 'vitest';
import { randomNumbers } from '../random-numbers.js';
import { signFlipProbability } from './sign-flips.js';

/** All 2ⁿ signs, one after the other. */
function byEnumeration(differences: readonly number[]): number {
  const seen = Math.abs(differences.reduce((sum, each) => sum + each, 0));
  let extreme = 0;
  for (let signs = 0; signs < 2 ** differences.length; signs++) {
    const sum = differences.reduce((sum, each, place) => sum + ((signs >> place) & 1 ? each : -each), 0);
    if (Math.abs(sum) >= seen - 1e-9) extreme++;
  }
  return extreme / 2 ** differences.length;
}

function choose(count: number, chosen: number): number {
  let ways = 1;
  for (let place = 1; place <= chosen; place++) ways = (ways * (count - place + 1)) / place;
  return ways;
}

test('the probability is that of all signs, with the same and with different numbers of trials', () => {
  const random = randomNumbers(3);
  const rate = (trials: number): number => Math.floor(random() * (trials + 1)) / trials;
  for (let table = 0; table < 60; table++) {
    const trials = [1, 3, 1 + Math.floor(random() * 9)][table % 3] ?? 1;
    const differences = Array.from({ length: 1 + Math.floor(random() * 11) }, () => rate(trials) - rate(3));
    expect(signFlipProbability(differences)).toBeCloseTo(byEnumeration(differences), 9);
  }
});

test("with one trial a task it is McNemar's exact test", () => {
  // 8 solved with condensation, 26 without: 2 won and 20 lost among 50.
  const differences = [...Array<number>(2).fill(1), ...Array<number>(20).fill(-1), ...Array<number>(28).fill(0)];
  const tail = [0, 1, 2].reduce((sum, won) => sum + choose(22, won), 0) / 2 ** 22;
  expect(signFlipProbability(differences)).toBeCloseTo(2 * tail, 12);
});

test('no difference is no evidence', () => {
  expect(signFlipProbability([])).toBe(1);
  expect(signFlipProbability([0, 0, 0])).toBe(1);
  expect(signFlipProbability([1, -1])).toBe(1);
});
