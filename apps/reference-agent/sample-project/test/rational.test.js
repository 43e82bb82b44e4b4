import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rational } from '../src/rational.js';

const r = (text) => Rational.from(text);

test('rational: reads decimals exactly', () => {
  assert.equal(r('0.1').add(r('0.2')).toString(), '3/10');
  assert.equal(r(0.1).add(r(0.2)).toString(), '3/10');
  assert.equal(r('1e-3').toString(), '1/1000');
  assert.equal(r('12e2').toString(), '1200');
});

test('rational: keeps lowest terms, with the sign above', () => {
  assert.equal(new Rational(6n, -8n).toString(), '-3/4');
  assert.equal(new Rational(0n, 5n).toString(), '0');
});

test('rational: refuses what is not a number', () => {
  for (const text of ['', '.', 'ten', '1,5', '1/0']) assert.throws(() => r(text), RangeError, text);
  assert.throws(() => Rational.from(Number.NaN), RangeError);
});

test('rational: floor goes down, also below zero', () => {
  assert.equal(r('7/2').floor(), 3n);
  assert.equal(r('-7/2').floor(), -4n);
  assert.equal(r('-4').floor(), -4n);
});

test('rational: a half goes away from zero', () => {
  assert.equal(r('5/2').nearest(), 3n);
  assert.equal(r('-5/2').nearest(), -3n);
  assert.equal(r('2.345').round(2).toString(), '47/20');
});

test('rational: shows a fixed number of decimals', () => {
  assert.equal(r('2/3').toFixed(3), '0.667');
  assert.equal(r('-0.004').toFixed(2), '0.00');
  assert.equal(r('1234.5').toFixed(0), '1235');
});

test('rational: powers', () => {
  assert.equal(r('2/3').pow(3).toString(), '8/27');
  assert.equal(r('2/3').pow(-2).toString(), '9/4');
  assert.throws(() => Rational.zero.pow(-1), RangeError);
});
