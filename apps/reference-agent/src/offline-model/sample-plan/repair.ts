import type { PlanStep } from '../plan.js';
import { edit, read, run, runTests, search, step, succeeded, testCommand, tryOut } from './steps.js';

const splitOf = (number: string, unit: string, units: string, decimals: number) =>
  [
    'import { Quantity, splitCompound, standardRegistry as r } from "./src/index.js";',
    `const parts = splitCompound(Quantity.of("${number}", r.find("${unit}")), [${units}].map((u) => r.find(u)), { decimals: ${decimals} });`,
    'console.log(parts.map((p) => p.number.toFixed(2) + " " + p.unit.symbol).join(", "));',
  ].join(' ');

const brokenSplit = `  let rest = quantity.value.absolute();
  return ordered.map((unit, index) => {
    const isLast = index === ordered.length - 1;
    const exact = rest.divide(unit.factor);
    const number = isLast ? exact.round(decimals) : new Rational(exact.floor());
`;

const repairedSplit = `  const last = ordered.at(-1);
  // Rounded before it is split: a last part that was rounded afterwards could become a whole unit that nobody carries.
  let rest = quantity.value.absolute().divide(last.factor).round(decimals).multiply(last.factor);
  return ordered.map((unit) => {
    const exact = rest.divide(unit.factor);
    const number = unit === last ? exact : new Rational(exact.floor());
`;

const newTests = `test('compound: what is carried goes up through every unit', () => {
  assert.deepEqual(split('86399.6', 's', [unit('d'), unit('h'), unit('min'), unit('s')]), ['1', '0', '0', '0']);
  assert.deepEqual(split('5.9999', 'ft', feetAndInches, { decimals: 1 }), ['6', '0']);
  assert.deepEqual(split('-5.999', 'ft', feetAndInches), ['-6', '0']);
});

test('compound: refuses what cannot be split', () => {
`;

/** Finds out why a test fails, and repairs it. */
export const repair: readonly PlanStep[] = [
  step('repair/run', 'Now that I know the sources: which test fails, and how?', runTests()),
  {
    name: 'repair/test-source',
    turn: ({ lastMatch }) => {
      const file = lastMatch(/^not ok \d+ - .*\((test\/[\w.-]+)\)$/m)?.[1] ?? 'test/compound.test.js';
      return { say: `The failing test is in ${file}. What does it expect?`, calls: [read(file)] };
    },
  },
  step('repair/usage', 'Who splits amounts?', search('splitCompound|joinCompound')),
  step('repair/observe', 'I look at the failing case by itself.', tryOut(splitOf('5.999', 'ft', '"ft", "in"', 0))),
  step(
    'repair/observe-digits',
    'The last part is twelve inches, which is a foot. Does it also happen with decimals?',
    tryOut(splitOf('5.9999', 'ft', '"ft", "in"', 1)),
  ),
  step('repair/observe-times', 'And with three units?', tryOut(splitOf('3599.7', 's', '"h", "min", "s"', 0))),
  step('repair/rounding', 'Where is anything rounded?', search('\\.round\\(|nearest\\(|toFixed\\(', 'src')),
  step('repair/round', 'Is the rounding itself right?', read('src/rational.js', 108, 134)),
  step(
    'repair/check-round',
    'Rounding is right by itself; a half goes away from zero, as the guide says.',
    tryOut(
      'import { Rational } from "./src/index.js"; console.log(["11.5", "11.988", "-0.5"].map((t) => Rational.from(t).round(0).toString()).join(" "));',
    ),
  ),
  step('repair/format-tests', 'Does any other test depend on how the parts are rounded?', read('test/format.test.js')),
  step(
    'repair/edit',
    'The whole parts are taken first and the last part is rounded afterwards, so nobody carries. I round first.',
    edit('src/compound.js', brokenSplit, repairedSplit),
  ),
  step('repair/observe-again', 'The failing case once more.', tryOut(splitOf('5.999', 'ft', '"ft", "in"', 0))),
  step('repair/test-file', 'And its test file.', runTests('test/compound.test.js')),
  step(
    'repair/new-tests',
    'I add the cases that I tried by hand, so that they stay repaired.',
    edit('test/compound.test.js', "test('compound: refuses what cannot be split', () => {\n", newTests),
  ),
  step('repair/test-file-again', 'Do they pass?', runTests('test/compound.test.js')),
  {
    name: 'repair/all',
    turn: { say: 'All tests, before I go on to the next task.', calls: [run(testCommand)] },
    next: (results) => (succeeded(results) ? undefined : 'report/failure'),
  },
];
