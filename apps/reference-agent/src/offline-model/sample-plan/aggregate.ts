import type { PlanStep } from '../plan.js';
import { edit, read, runTests, search, step, succeeded, tryOut, write } from './steps.js';

const firstVersion = `import { Quantity } from './quantity.js';

/** The sum of some quantities, in the unit of the first. There must be one, because a sum of nothing has no dimension. */
export function sum(quantities) {
  const [first, ...others] = quantities;
  if (first === undefined) throw new RangeError('a sum needs at least one quantity');
  return others.reduce((total, quantity) => total.add(quantity), first);
}

/** The arithmetic mean of some quantities, in the unit of the first. */
export function mean(quantities) {
  const all = [...quantities];
  return sum(all).divide(Quantity.plain(all.length));
}
`;

const dividing = `  return sum(all).divide(Quantity.plain(all.length));
`;

const inBaseUnits = `  const total = sum(all);
  // In base units, where a scale has its zero: 20 °C and 22 °C have a mean, although neither can be divided.
  return new Quantity(total.value.divide(Rational.from(all.length)), total.dimension, total.unit);
`;

const importQuantity = `import { Quantity } from './quantity.js';
`;

const importBoth = `${importQuantity}import { Rational } from './rational.js';
`;

const tests = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mean, sum } from '../src/aggregate.js';
import { DimensionError, evaluate, format } from '../src/index.js';

const all = (...sources) => sources.map((source) => evaluate(source));

test('aggregate: adds across units, in the unit of the first', () => {
  assert.equal(format(sum(all('1 m', '50 cm', '1 ft'))), '1.8048 m');
  assert.equal(format(sum(all('5 kg'))), '5 kg');
});

test('aggregate: the mean is exact', () => {
  assert.equal(mean(all('1 m', '2 m', '2 m')).in().toString(), '5/3');
  assert.equal(format(mean(all('90 min', '1 h'))), '75 min');
});

test('aggregate: temperatures have a mean', () => {
  assert.equal(format(mean(all('20 °C', '22 °C'))), '21 °C');
  assert.equal(format(mean(all('50 °F', '10 °C'))), '50 °F');
});

test('aggregate: takes any iterable', () => {
  assert.equal(format(mean(new Set(all('1 s', '3 s')))), '2 s');
});

test('aggregate: refuses nothing, and what does not match', () => {
  assert.throws(() => sum([]), RangeError);
  assert.throws(() => mean([]), RangeError);
  assert.throws(() => sum(all('1 m', '1 kg')), DimensionError);
});
`;

/** Adds `sum` and `mean`, with tests that find a mistake in the first version. */
export const aggregate: readonly PlanStep[] = [
  step(
    'aggregate/existing',
    'Second task: sum and mean. Is there anything like it already?',
    search('\\bsum\\b|\\bmean\\b|average'),
  ),
  step('aggregate/quantity', 'How quantities are added and divided.', read('src/quantity.js', 28, 70)),
  step('aggregate/write', 'A module of its own.', write('src/aggregate.js', firstVersion)),
  step(
    'aggregate/try',
    'A first try.',
    tryOut(
      'import { mean, sum } from "./src/aggregate.js"; import { evaluate, format } from "./src/index.js"; const l = ["1 m", "50 cm"].map((s) => evaluate(s)); console.log(format(sum(l)), format(mean(l)));',
    ),
  ),
  step('aggregate/write-tests', 'Tests, with temperatures among them.', write('test/aggregate.test.js', tests)),
  {
    name: 'aggregate/test',
    turn: { say: 'Do they pass?', calls: [runTests('test/aggregate.test.js')] },
    next: (results) => (succeeded(results) ? 'aggregate/export' : 'aggregate/why'),
  },
  step(
    'aggregate/why',
    'Temperatures do not. Where is that refused, and why?',
    search('mustScale|cannot be multiplied', 'src'),
  ),
  step('aggregate/scale', 'I read the place.', read('src/quantity.js', 88, 98)),
  step(
    'aggregate/edit',
    'Dividing refuses a scale with an offset, and rightly. A mean needs no division of a quantity: I work in base units.',
    edit('src/aggregate.js', dividing, inBaseUnits),
  ),
  step('aggregate/import', 'That needs the exact numbers.', edit('src/aggregate.js', importQuantity, importBoth)),
  step('aggregate/test-again', 'Again.', runTests('test/aggregate.test.js')),
  step(
    'aggregate/export',
    'Now the entry of the library.',
    edit(
      'src/index.js',
      "export { joinCompound, splitCompound } from './compound.js';\n",
      "export { joinCompound, splitCompound } from './compound.js';\nexport { mean, sum } from './aggregate.js';\n",
    ),
  ),
  step(
    'aggregate/exported',
    'Is everything exported that was, and the two new ones?',
    tryOut('import * as all from "./src/index.js"; console.log(Object.keys(all).sort().join(" "));'),
  ),
];
