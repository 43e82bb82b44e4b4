import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinCompound, splitCompound } from '../src/compound.js';
import { DimensionError } from '../src/errors.js';
import { Quantity } from '../src/quantity.js';
import { Rational } from '../src/rational.js';
import { standardRegistry as registry } from '../src/registry.js';

const unit = (name) => registry.find(name);
const feetAndInches = [unit('ft'), unit('in')];
const split = (number, name, units, options) =>
  splitCompound(Quantity.of(number, unit(name)), units, options).map(({ number: part }) => part.toString());

test('compound: whole parts first, the rest last', () => {
  assert.deepEqual(split('74', 'in', feetAndInches), ['6', '2']);
  assert.deepEqual(split('3725', 's', [unit('h'), unit('min'), unit('s')]), ['1', '2', '5']);
});

test('compound: units in any order', () => {
  assert.deepEqual(split('74', 'in', [...feetAndInches].reverse()), ['6', '2']);
});

test('compound: the last part is rounded', () => {
  assert.deepEqual(split('1.9', 'm', feetAndInches, { decimals: 1 }), ['6', '14/5']);
});

test('compound: a last part that rounds up to a whole unit is carried', () => {
  assert.deepEqual(split('5.999', 'ft', feetAndInches), ['6', '0']);
  assert.deepEqual(split('3599.7', 's', [unit('h'), unit('min'), unit('s')]), ['1', '0', '0']);
});

test('compound: the sign stands on every part', () => {
  assert.deepEqual(split('-74', 'in', feetAndInches), ['-6', '-2']);
});

test('compound: the parts add up to the rounded amount', () => {
  for (const inches of ['0.4', '11.7', '71.2', '143.9', '-20.5']) {
    const quantity = Quantity.of(inches, unit('in'));
    const expected = quantity.in().round(0).multiply(Rational.from('0.0254'));
    assert.equal(joinCompound(splitCompound(quantity, feetAndInches)).equals(expected), true, inches);
  }
});

test('compound: refuses what cannot be split', () => {
  assert.throws(() => split('1', 'kg', feetAndInches), DimensionError);
  assert.throws(() => split('1', 'm', []), RangeError);
  assert.throws(() => split('1', 'm', [unit('ft'), unit('ft')]), RangeError);
  assert.throws(() => split('20', '°C', [unit('°C')]), DimensionError);
});
