import type { PlanStep } from '../plan.js';
import type { Recollection } from '../recollection.js';
import { finish, read, runTests, search, step, succeeded } from './steps.js';

/** The last count of passed and failed tests that the model remembers. */
export const countOfTests = (memory: Recollection) => memory.lastMatch(/passed (\d+), failed (\d+)/);

/** Reviews the work, runs all tests and answers. */
export const report: readonly PlanStep[] = [
  step('report/compound', 'I look over what I changed.', read('src/compound.js')),
  step('report/aggregate', 'The new module.', read('src/aggregate.js')),
  step('report/tokenizer', 'The places in the tokenizer.', search('groupingSigns|isGroupingSign', 'src')),
  step('report/leftovers', 'Did I leave anything behind?', search('TODO|FIXME|console\\.log', 'src')),
  {
    name: 'report/all',
    turn: { say: 'All tests, one last time.', calls: [runTests()] },
    next: (results) => (succeeded(results) ? 'report/done' : 'report/failure'),
  },
  finish('report/done', 'Everything is done.', (memory) =>
    [
      `All ${countOfTests(memory)?.[1] ?? ''} tests pass.`,
      '1. The failing test was right: splitCompound rounded the last part after the whole parts were taken, so nothing was carried. It now rounds first (src/compound.js), with tests for four units, decimals and negative amounts.',
      '2. sum and mean are in src/aggregate.js, exported, tested, and work for temperatures.',
      '3. Digits can be grouped by underscores (src/tokenizer.js).',
      'The README, the guide and the changelog say so.',
    ].join('\n'),
  ),
  finish(
    'report/failure',
    'I have to stop here.',
    (memory) =>
      `I am not done: ${countOfTests(memory)?.[2] ?? 'some'} tests fail, and I do not know why. The last failing one is: ${memory.lastMatch(/^not ok \d+ - (.*)$/m)?.[1] ?? 'not shown to me any more'}.`,
  ),
];
