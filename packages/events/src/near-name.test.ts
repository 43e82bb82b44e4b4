import { expect, it } from 'vitest';
import { nearName } from './near-name.js';

it.each([
  ['keep_first', 'keepFirst'],
  ['maxsize', 'maxSize'],
  ['keep', 'keepFirst'],
  ['maxSizes', 'maxSize'],
  ['maxSzie', 'maxSize'],
  ['keepFirstEvent', 'keepFirstEvents'],
  ['window', undefined],
  ['', undefined],
])('%s was meant to be %s', (name, meant) => {
  expect(nearName(name, ['maxSize', 'keepFirst', 'keepFirstEvents'])).toBe(meant);
});
