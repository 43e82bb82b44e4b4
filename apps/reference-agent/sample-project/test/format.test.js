import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluate, format, formatCompound, standardRegistry as registry } from '../src/index.js';

const feetAndInches = [registry.find('ft'), registry.find('in')];

test('format: trims zeros, unless told not to', () => {
  assert.equal(format(evaluate('2.50 kg')), '2.5 kg');
  assert.equal(format(evaluate('2.5 kg'), { decimals: 2, trim: false }), '2.50 kg');
  assert.equal(format(evaluate('100 kg')), '100 kg');
});

test('format: names agree with their number', () => {
  assert.equal(format(evaluate('1 ft'), { style: 'name' }), '1 foot');
  assert.equal(format(evaluate('2 ft'), { style: 'name' }), '2 feet');
  assert.equal(format(evaluate('-1 ft'), { style: 'name' }), '-1 foot');
});

test('format: groups thousands with thin spaces', () => {
  assert.equal(format(evaluate('1234567.25 m'), { group: true }), '1\u2009234\u2009567.25 m');
  assert.equal(format(evaluate('123 m'), { group: true }), '123 m');
});

test('format: compounds', () => {
  assert.equal(formatCompound(evaluate('74 in'), feetAndInches), '6 ft 2 in');
  assert.equal(formatCompound(evaluate('1.9 m'), feetAndInches, { decimals: 1 }), '6 ft 2.8 in');
  assert.equal(formatCompound(evaluate('-74 in'), feetAndInches), '-6 ft 2 in');
});

test('format: compounds leave zeros out, but not all of them', () => {
  assert.equal(formatCompound(evaluate('72 in'), feetAndInches), '6 ft');
  assert.equal(formatCompound(evaluate('0 m'), feetAndInches), '0 in');
});

test('format: compounds with names', () => {
  assert.equal(formatCompound(evaluate('13 in'), feetAndInches, { style: 'name' }), '1 foot 1 inch');
});
