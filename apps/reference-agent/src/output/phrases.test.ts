import { expect, test } from 'vitest';
import { endingPhrase } from './phrases.js';

test.each([
  ['denied', undefined, 'denied'],
  ['interrupted', 143, 'cut off'],
  ['failed', 1, 'exit 1'],
  ['failed', undefined, 'failed'],
  ['ok', 0, 'exit 0'],
  ['ok', undefined, ''],
] as const)('a call that ended as %s with %s: %s', (status, exitStatus, words) => {
  expect(endingPhrase({ status, exitStatus })).toBe(words);
});
