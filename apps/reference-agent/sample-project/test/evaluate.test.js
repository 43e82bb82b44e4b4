import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DimensionError } from '../src/errors.js';
import { evaluate, format } from '../src/index.js';

const cases = [
  ['6 ft 2 in to cm', '187.96 cm'],
  ['90 km/h to m/s', '25 m/s'],
  ['10 m / 2 s', '5'],
  ['(2 m + 50 cm) * 4', '10 m'],
  ['-3 * 2 kg', '-6 kg'],
  ['2 h 30 min to min', '150 min'],
  ['1 GiB to MB', '1073.741824 MB'],
  ['3 m * 2 m to m^2', '6 m^2'],
  ['1 gal to L', '3.785412 L'],
  ['25 °C to °F', '77 °F'],
  ['1 ly to km', '9460730472580.8 km'],
];

for (const [source, expected] of cases) {
  test(`evaluate: ${source}`, () => {
    assert.equal(format(evaluate(source)), expected);
  });
}

test('evaluate: compounds go from the greatest unit to the smallest', () => {
  assert.throws(() => evaluate('2 in 6 ft'), DimensionError);
  assert.throws(() => evaluate('2 ft 6 kg'), DimensionError);
});

test('evaluate: several targets give their units', () => {
  const { quantity, units } = evaluate('180 cm to ft and in');
  assert.deepEqual(
    units.map(({ name }) => name),
    ['foot', 'inch'],
  );
  assert.equal(quantity.value.toString(), '9/5');
});
