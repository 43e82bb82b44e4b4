import type { PlanStep } from '../plan.js';
import { edit, read, runTests, search, step, succeeded, tryOut } from './steps.js';

const oldGrouping = `const isGroupingSpace = (character) => character === '\\u2009' || character === '\\u00a0' || character === '\\u202f';
`;

const newGrouping = `const groupingSigns = new Set(['\\u2009', '\\u00a0', '\\u202f', '_']);
const isGroupingSign = (character) => groupingSigns.has(character);
`;

const oldTest = `test('tokenizer: signs that look alike mean the same', () => {
`;

const newTest = `test('tokenizer: underscores group digits, between digits only', () => {
  assert.deepEqual(kinds('12_500 m'), ['number:12500', 'unit:m']);
  assert.deepEqual(kinds('0.000_1 m'), ['number:0.0001', 'unit:m']);
  for (const source of ['_1 m', '1_ m', '1__0 m']) assert.throws(() => tokenize(source), ParseError, source);
});

`;

/** Lets numbers be grouped by underscores. */
export const grouping: readonly PlanStep[] = [
  step(
    'grouping/where',
    'Third task: underscores in numbers. Where are digits grouped?',
    search('isGroupingSpace|grouped', 'src'),
  ),
  step(
    'grouping/before',
    'What happens today?',
    tryOut('import { evaluate } from "./src/index.js"; evaluate("12_500 m");'),
  ),
  step(
    'grouping/edit',
    'A set of grouping signs instead of a chain of comparisons.',
    edit('src/tokenizer.js', oldGrouping, newGrouping),
  ),
  step(
    'grouping/use',
    'And its use.',
    edit(
      'src/tokenizer.js',
      "      else if (!(isGroupingSpace(character) && isDigit(source[offset + 1] ?? ''))) return;\n",
      "      else if (!(isGroupingSign(character) && isDigit(source[offset + 1] ?? ''))) return;\n",
    ),
  ),
  step(
    'grouping/comment',
    'The comment at the top says what groups digits.',
    edit(
      'src/tokenizer.js',
      ' * - `number`: `12`, `3.75`, `.5`, `1e-3`; digits may be grouped by a thin or a no-break space, never by a comma;\n',
      ' * - `number`: `12`, `3.75`, `.5`, `1e-3`; digits may be grouped by a thin or a no-break space or an underscore, never by\n *   a comma;\n',
    ),
  ),
  step('grouping/tests', 'How are the tests of the tokenizer written?', read('test/tokenizer.test.js')),
  step(
    'grouping/new-test',
    'One more, with the cases that must stay errors.',
    edit('test/tokenizer.test.js', oldTest, newTest + oldTest),
  ),
  {
    name: 'grouping/test',
    turn: { say: 'Do they pass?', calls: [runTests('test/tokenizer.test.js')] },
    next: (results) => (succeeded(results) ? undefined : 'report/failure'),
  },
  step(
    'grouping/after',
    'From end to end.',
    tryOut(
      'import { evaluate, format } from "./src/index.js"; console.log(format(evaluate("12_500 m to km")), format(evaluate("1_000_000 B to MB")));',
    ),
  ),
];
