import { expect, test } from 'vitest';
import { jsonValues } from './json.js';

test('one value', () => {
  expect(jsonValues('{"a":"}{"}')).toEqual([{ value: { a: '}{' } }]);
});

test('several values, with what stands between them', () => {
  expect(jsonValues('{"a":"\\"}"} , [1]{"b"')).toEqual([
    { value: { a: '"}' } },
    { broken: ' , ' },
    { value: [1] },
    { broken: '{"b"' },
  ]);
});

test('a line with nothing sound in it is one broken piece', () => {
  expect(jsonValues('{a}{b}')).toEqual([{ broken: '{a}{b}' }]);
});
