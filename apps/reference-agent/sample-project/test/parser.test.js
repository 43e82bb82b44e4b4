import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParseError, UnknownUnitError } from '../src/errors.js';
import { parse } from '../src/parser.js';

test('parser: a number and its units bind most tightly', () => {
  const tree = parse('10 m / 2 s');
  assert.equal(tree.type, 'divide');
  assert.equal(tree.left.units[0].unit.name, 'metre');
  assert.equal(tree.right.units[0].unit.name, 'second');
});

test('parser: a slash before a unit goes on with the unit', () => {
  const tree = parse('90 km/h');
  assert.deepEqual(
    tree.units.map(({ unit, power }) => [unit.name, power]),
    [
      ['kilometre', 1],
      ['hour', -1],
    ],
  );
});

test('parser: products before sums', () => {
  const tree = parse('1 m + 2 m * 3');
  assert.equal(tree.type, 'add');
  assert.equal(tree.right.type, 'multiply');
});

test('parser: numbers that follow each other are one amount', () => {
  const tree = parse('6 ft 2 in');
  assert.equal(tree.type, 'compound');
  assert.equal(tree.parts.length, 2);
});

test('parser: names of two words', () => {
  assert.equal(parse('3 nautical miles').units[0].unit.name, 'nautical mile');
  assert.equal(parse('2 light-years').units[0].unit.name, 'light-year');
});

test('parser: several targets', () => {
  const tree = parse('180 cm to ft and in');
  assert.equal(tree.type, 'conversion');
  assert.equal(tree.targets.length, 2);
});

test('parser: says what it expected, and where', () => {
  const cases = [
    ['(3 m', "expected a ')' at 4"],
    ['3 m ^ x', "expected a whole number, found 'x' at 6"],
    ['3 +', 'the expression ends too early at 3'],
    ['3 m )', "expected the end, found ')' at 4"],
  ];
  for (const [source, message] of cases) {
    assert.throws(
      () => parse(source),
      (error) => error instanceof ParseError && error.message.startsWith(message),
      source,
    );
  }
});

test('parser: an unknown unit is not a parse error', () => {
  assert.throws(() => parse('3 wibbles'), UnknownUnitError);
});
