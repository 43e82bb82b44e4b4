import { expect, test } from 'vitest';
import { textCounter } from './tokens.js';

test('counts with the o200k vocabulary', () => {
  const count = textCounter();
  expect(count('')).toBe(0);
  expect(count('hello world')).toBe(2);
});

test('text that looks like a control token is text', () => {
  expect(textCounter()('<|endoftext|>')).toBeGreaterThan(1);
});

test('a long run without white space is counted in pieces', () => {
  const run = 'ab'.repeat(100_000);
  expect(textCounter()(run)).toBeGreaterThan(1_000);
});
