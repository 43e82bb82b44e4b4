import { expect, test } from 'vitest';
import { estimateTextTokens } from './index.js';

test.each([
  ['', 0],
  // What o200k_base counts.
  ['Please fix the failing test in the parser.', 9],
  ['export const answer = 42;\n', 7],
  ['    return this.items.length;\n', 6],
  ['2026-11-22T18:05:00Z', 13],
  ['  at Object.<anonymous> (/home/user/project/src/index.test.ts:120:15)', 19],
  ['-----', 1],
  ['今日は良い天気です', 6],
  ['Привет, мир!', 5],
])('%j is about %i tokens', (text, tokens) => {
  expect(Math.abs(estimateTextTokens(text) - tokens)).toBeLessThanOrEqual(Math.max(1.5, 0.5 * tokens));
});

test.each([
  // What o200k_base counts, of what a program prints that has lost its way.
  ['line breaks', '\n'.repeat(5_000), 313],
  ['zeros', '\0'.repeat(4_000), 2_000],
  ['code of marks', '[][(![]+[])[+[]]+([![]]+[][[]])[+!+[]+[+[]]]]'.repeat(100), 2_499],
  ['a swearing comic', '!@#$%^&*()'.repeat(600), 4_200],
])('a huge text of %s is no small one', (_, text, tokens) => {
  expect(estimateTextTokens(text) / tokens).toBeGreaterThan(0.65);
  expect(estimateTextTokens(text) / tokens).toBeLessThan(1.5);
});

test('a run of letters that is no word is four characters a token', () => {
  expect(estimateTextTokens('x'.repeat(400))).toBe(100);
});

test('a long text is estimated by samples, and the result grows with it', () => {
  const line = 'const parsed = parse(input); // one of many lines\n';
  const whole = estimateTextTokens(line.repeat(40));
  const sampled = estimateTextTokens(line.repeat(4_000));
  expect(sampled / whole / 100).toBeGreaterThan(0.95);
  expect(sampled / whole / 100).toBeLessThan(1.05);
});

test('samples see every part of a text', () => {
  const prose = 'the quick brown fox jumps over the lazy dog '.repeat(2_000);
  const digits = '0123456789'.repeat(8_800);
  const both = estimateTextTokens(prose + digits);
  const sum = estimateTextTokens(prose) + estimateTextTokens(digits);
  expect(Math.abs(both / sum - 1)).toBeLessThan(0.15);
});
