import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParseError } from '../src/errors.js';
import { tokenize } from '../src/tokenizer.js';

const kinds = (source) => tokenize(source).map(({ type, text }) => `${type}:${text}`);

test('tokenizer: numbers and units need no space between them', () => {
  assert.deepEqual(kinds('12.5kg'), ['number:12.5', 'unit:kg']);
  assert.deepEqual(kinds('.5 ft'), ['number:.5', 'unit:ft']);
});

test('tokenizer: an exponent is not a unit, and a unit is not an exponent', () => {
  assert.deepEqual(kinds('1e3 m'), ['number:1e3', 'unit:m']);
  assert.deepEqual(kinds('2eV'), ['number:2', 'unit:eV']);
});

test('tokenizer: thin spaces group digits', () => {
  assert.deepEqual(kinds('12\u2009500 m'), ['number:12500', 'unit:m']);
  assert.throws(() => tokenize('12,500 m'), ParseError);
});

test('tokenizer: signs that look alike mean the same', () => {
  assert.deepEqual(kinds('3 × 2 − 1'), ['number:3', 'operator:*', 'number:2', 'operator:-', 'number:1']);
  assert.deepEqual(kinds('5 m²'), ['number:5', 'unit:m', 'operator:^', 'number:2']);
});

test("tokenizer: 'in' is a keyword only before a unit", () => {
  assert.deepEqual(kinds('6 ft in cm'), ['number:6', 'unit:ft', 'keyword:in', 'unit:cm']);
  assert.deepEqual(kinds('6 in to cm'), ['number:6', 'unit:in', 'keyword:to', 'unit:cm']);
  assert.deepEqual(kinds('6 ft 2 in'), ['number:6', 'unit:ft', 'number:2', 'unit:in']);
});

test('tokenizer: tokens know where they began', () => {
  assert.deepEqual(
    tokenize('  3 km/h').map(({ offset }) => offset),
    [2, 4, 6, 7],
  );
});

test('tokenizer: points at what it does not know', () => {
  assert.throws(
    () => tokenize('3 km & 2 m'),
    (error) => error instanceof ParseError && error.offset === 5,
  );
});
