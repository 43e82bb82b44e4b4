import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DimensionError } from '../src/errors.js';
import { Quantity } from '../src/quantity.js';
import { standardRegistry as registry } from '../src/registry.js';

const q = (number, unit) => Quantity.of(number, registry.find(unit));

test('quantity: adds across units, and keeps the first unit', () => {
  const sum = q('1', 'km').add(q('1', 'mi'));
  assert.equal(sum.unit.name, 'kilometre');
  assert.equal(sum.in().toFixed(6), '2.609344');
});

test('quantity: refuses to add what does not match', () => {
  assert.throws(() => q('1', 'km').add(q('1', 'kg')), DimensionError);
});

test('quantity: multiplies dimensions', () => {
  const area = q('2', 'm').multiply(q('3', 'm'));
  assert.equal(area.dimension.toString(), 'length^2');
  assert.equal(area.unit, undefined);
});

test('quantity: a plain number keeps the unit', () => {
  assert.equal(q('2', 'ft').multiply(Quantity.plain(3)).unit.name, 'foot');
  assert.equal(Quantity.plain(3).multiply(q('2', 'ft')).unit.name, 'foot');
});

test('quantity: goes there and back without loss', () => {
  const foot = registry.find('ft');
  assert.equal(q('1/3', 'ft').to(registry.find('m')).to(foot).in().toString(), '1/3');
});

test('quantity: temperatures have an offset', () => {
  assert.equal(q('100', '°C').in(registry.find('°F')).toString(), '212');
  assert.equal(q('-40', '°F').in(registry.find('°C')).toString(), '-40');
});

test('quantity: a scale with an offset cannot be multiplied', () => {
  assert.throws(() => q('20', '°C').multiply(Quantity.plain(2)), DimensionError);
});

test('quantity: compares', () => {
  assert.equal(q('1', 'yd').compare(q('1', 'm')), -1);
  assert.equal(q('3', 'ft').equals(q('1', 'yd')), true);
});
