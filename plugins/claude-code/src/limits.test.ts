import { expect, it } from 'vitest';
import { result, said, sessionRowsOf } from '../test-support/session.js';
import { isWorthAnswering, limitWithoutUs, tokensBehindAnswer, windowIn } from './limits.js';

it('knows when Claude Code would compact without us', () => {
  expect(limitWithoutUs({ model: 1_000_000 })).toBe(967_000);
  expect(limitWithoutUs({ model: 200_000 })).toBe(167_000);
  expect(limitWithoutUs({ model: 1_000_000, person: 100_000 })).toBe(67_000);
  expect(limitWithoutUs({ model: 200_000, percent: 50 })).toBe(90_000);
  expect(limitWithoutUs({ model: 200_000, percent: 99 })).toBe(167_000);
});

it('reads a window as a person writes it', () => {
  expect(['200k', '200000', '200_000', ' 1.5k ', 120_000].map(windowIn)).toEqual([
    200_000, 200_000, 200_000, 1_500, 120_000,
  ]);
  expect(['auto', '', '-3', undefined, 0, '1m'].map(windowIn)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it('answers only where the session goes on after it', () => {
  expect(isWorthAnswering({ before: 70_000, after: 20_000 }, 4)).toBe(true);
  expect(isWorthAnswering({ before: 70_000, after: 20_000 }, 3)).toBe(false);
  expect(isWorthAnswering({ before: 70_000, after: 65_000 }, 30)).toBe(false);
});

it('counts what came behind the last answer', () => {
  const rows = [
    ...sessionRowsOf(3),
    said('assistant', 'Now the last.'),
    result('x', 'y'.repeat(400)),
    said('user', 'z'.repeat(40)),
  ];
  expect(tokensBehindAnswer(rows)).toBe(110);
});
