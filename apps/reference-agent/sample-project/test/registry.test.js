import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownUnitError } from '../src/errors.js';
import { Registry, standardRegistry as registry } from '../src/registry.js';

test('registry: symbols are case-sensitive, names are not', () => {
  assert.equal(registry.find('Mm').factor.toString(), '1000000');
  assert.equal(registry.find('mm').factor.toString(), '1/1000');
  assert.equal(registry.find('Kilometres').name, 'kilometre');
});

test('registry: an exact symbol wins over a prefixed one', () => {
  assert.equal(registry.find('min').name, 'minute');
  assert.equal(registry.find('ft').name, 'foot');
  assert.equal(registry.find('pt').name, 'point');
});

test('registry: the longest prefix symbol wins', () => {
  assert.equal(registry.find('dam').name, 'decametre');
  assert.equal(registry.find('dm').name, 'decimetre');
});

test('registry: takes u for micro', () => {
  assert.equal(registry.find('um').name, 'micrometre');
  assert.equal(registry.find('µs').name, 'microsecond');
});

test('registry: binary prefixes only where they belong', () => {
  assert.equal(registry.find('KiB').factor.toString(), '8192');
  assert.equal(registry.tryFind('Kim'), undefined);
});

test('registry: suggests what was meant', () => {
  assert.throws(
    () => registry.find('metrs'),
    (error) => error instanceof UnknownUnitError && error.suggestions.includes('metres'),
  );
});

test('registry: refuses two units of one name', () => {
  const twice = {
    dimension: 'length',
    units: [{ name: 'ell', plural: 'ells', symbols: ['m'], aliases: [], factor: '1' }],
  };
  assert.throws(() => new Registry().add(twice), /two units are called 'm'/);
});

test('registry: lists every unit once', () => {
  const names = registry.list().map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.length > 50);
});
