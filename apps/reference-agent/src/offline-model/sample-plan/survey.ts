import type { PlanStep } from '../plan.js';
import { read, runTests, step, succeeded } from './steps.js';

/** Reads every file of the project once. */
export const survey: readonly PlanStep[] = [
  step('survey/files', 'First I look at what is there.', { tool: 'list_files', input: {} }),
  step('survey/readme', 'What the library is for, and how it is tested.', read('README.md'), read('package.json')),
  {
    name: 'survey/tests',
    turn: { say: 'Where do the tests stand before I change anything?', calls: [runTests()] },
    next: (results) => (succeeded(results) ? 'aggregate/existing' : 'survey/entry'),
  },
  step(
    'survey/entry',
    'Something fails. Before I judge it I read the sources.',
    read('src/index.js'),
    read('src/errors.js'),
  ),
  step('survey/tokenizer', 'How an expression is cut into tokens.', read('src/tokenizer.js')),
  step('survey/parser', 'How tokens become a tree.', read('src/parser.js')),
  step('survey/evaluate', 'How the tree becomes a quantity.', read('src/evaluate.js')),
  step('survey/quantity', 'The quantity itself.', read('src/quantity.js')),
  step('survey/convert', 'Conversion to base units.', read('src/convert.js')),
  step('survey/rational', 'The exact numbers below it.', read('src/rational.js')),
  step('survey/dimension', 'Dimensions.', read('src/dimension.js')),
  step('survey/registry', 'How units are found by name.', read('src/registry.js')),
  step('survey/prefixes', 'Prefixes.', read('src/prefixes.js')),
  step('survey/lengths', 'The larger unit tables.', read('src/units/length.js'), read('src/units/mass.js')),
  step(
    'survey/others',
    'And the smaller ones.',
    read('src/units/time.js'),
    read('src/units/temperature.js'),
    read('src/units/data.js'),
    read('src/units/volume.js'),
  ),
  step('survey/format', 'How quantities are shown.', read('src/format.js')),
  step('survey/compound', 'How an amount is split over several units.', read('src/compound.js')),
  step('survey/guide', 'What users are told.', read('docs/guide.md')),
  step('survey/changelog', 'And the changelog, which I shall have to add to.', read('CHANGELOG.md')),
];
