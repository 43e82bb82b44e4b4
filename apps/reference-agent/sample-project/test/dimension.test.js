import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dimension } from '../src/dimension.js';

const length = Dimension.of('length');
const time = Dimension.of('time');

test('dimension: powers that cancel are gone', () => {
  assert.equal(length.divide(length).isNone(), true);
  assert.equal(length.multiply(time).divide(time).equals(length), true);
});

test('dimension: the order of operations does not matter', () => {
  assert.equal(length.divide(time).key, time.pow(-1).multiply(length).key);
});

test('dimension: says what it is', () => {
  assert.equal(length.divide(time.pow(2)).toString(), 'length·time^-2');
  assert.equal(Dimension.none.toString(), 'a plain number');
});

test('dimension: refuses unknown bases and broken powers', () => {
  assert.throws(() => new Dimension({ luck: 1 }), RangeError);
  assert.throws(() => new Dimension({ length: 0.5 }), RangeError);
});
