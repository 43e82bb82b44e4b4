import { turnOf } from '../plan.js';
import type { PlanStep } from '../plan.js';
import type { ToolResult } from '../recollection.js';
import { aggregate } from './aggregate.js';
import { documentation } from './documentation.js';
import { grouping } from './grouping.js';
import { repair } from './repair.js';
import { countOfTests, report } from './report.js';
import { finish, recall, search, succeeded } from './steps.js';
import { survey } from './survey.js';

const known = new Map(
  [survey, repair, aggregate, grouping, documentation, report].flat().map((each) => [each.name, each]),
);

/**
 * The work of the demo: the tasks of the sample plan in half as many steps, so that a screen shows it. Several calls are made
 * at once, as models do, and a few looks are left out.
 */
export const demoPlan: readonly PlanStep[] = [
  atOnce('survey/files', 'What is here, and how is it tested?', 'survey/files', 'survey/readme'),
  {
    ...atOnce('survey/tests', 'Where do the tests stand before I change anything?', 'survey/tests'),
    next: (results) => (succeeded(results) ? 'aggregate/existing' : undefined),
  },
  atOnce('survey/entry', 'One fails. I read the sources before I judge.', 'survey/entry', 'survey/tokenizer'),
  atOnce('survey/parser', 'How an expression becomes a quantity.', 'survey/parser', 'survey/evaluate'),
  atOnce('survey/numbers', 'The numbers below it.', 'survey/quantity', 'survey/rational', 'survey/convert'),
  atOnce('survey/names', 'How units are found.', 'survey/registry', 'survey/prefixes', 'survey/dimension'),
  atOnce('survey/units', 'The tables of units.', 'survey/lengths', 'survey/others'),
  atOnce('survey/words', 'How results are shown, and what users are told.', 'survey/format', 'survey/guide'),
  atOnce('survey/compound', 'How an amount is split over units.', 'survey/compound', 'survey/changelog'),
  atOnce('repair/test-source', 'What does the failing test expect?', 'repair/test-source', 'repair/usage'),
  atOnce(
    'repair/observe',
    'Is it the decimals, or three units?',
    'repair/observe',
    'repair/observe-digits',
    'repair/observe-times',
  ),
  atOnce('repair/rounding', 'Where is anything rounded, and rightly?', 'repair/rounding', 'repair/round'),
  atOnce('repair/edit', 'It rounds after it has split, so nobody carries. I round first.', 'repair/edit'),
  atOnce('repair/observe-again', 'The failing case again, and its tests.', 'repair/observe-again', 'repair/test-file'),
  atOnce('repair/new-tests', 'Tests, so that it stays repaired.', 'repair/new-tests'),
  { ...atOnce('repair/all', 'All tests, before the next task.', 'repair/all'), next: unlessFailed },
  atOnce(
    'aggregate/existing',
    'Now sum and mean. Is there anything like it?',
    'aggregate/existing',
    'aggregate/quantity',
  ),
  atOnce('aggregate/write', 'A module of its own, with tests.', 'aggregate/write', 'aggregate/write-tests'),
  {
    ...atOnce('aggregate/test', 'Do they pass?', 'aggregate/test'),
    next: (results) => (succeeded(results) ? 'aggregate/export' : undefined),
  },
  atOnce('aggregate/why', 'Temperatures do not. Where is that refused?', 'aggregate/why', 'aggregate/scale'),
  atOnce('aggregate/edit', 'A mean needs no division of a quantity.', 'aggregate/edit', 'aggregate/import'),
  atOnce('aggregate/test-again', 'Again.', 'aggregate/test-again'),
  atOnce('aggregate/export', 'Now the entry of the library.', 'aggregate/export'),
  atOnce('grouping/where', 'Underscores in numbers. Where are digits grouped?', 'grouping/where', 'grouping/tests'),
  atOnce('grouping/edit', 'One set of signs that group digits.', 'grouping/edit', 'grouping/use', 'grouping/comment'),
  atOnce('grouping/new-test', 'A test, with what must stay an error.', 'grouping/new-test'),
  {
    ...atOnce('grouping/test', 'Do they pass, from end to end too?', 'grouping/test', 'grouping/after'),
    next: unlessFailed,
  },
  atOnce(
    'documentation/guide',
    'The guide and the README say so.',
    'documentation/guide',
    'documentation/rounding',
    'documentation/readme',
  ),
  atOnce('documentation/changelog', 'The changelog.', 'documentation/changelog'),
  atOnce('documentation/changelog-again', 'I name the place exactly.', 'documentation/changelog-again'),
  atOnce('report/review', 'I look over what I changed.', 'report/compound', 'report/aggregate', 'report/leftovers'),
  {
    name: 'report/usage',
    turn: (memory) => {
      const address = memory.lastMatch(/search\(pattern=splitCompound\|joinCompound\).*address (\w+)/)?.[1];
      const call = address === undefined ? search('splitCompound|joinCompound') : recall(address);
      return { say: 'Who splits amounts? I had looked that up.', calls: [call] };
    },
  },
  {
    ...atOnce('report/all', 'All tests, one last time.', 'report/all'),
    next: (results) => (succeeded(results) ? 'report/done' : 'report/failure'),
  },
  finish('report/done', 'Everything is done.', (memory) =>
    [
      `All ${countOfTests(memory)?.[1] ?? ''} tests pass.`,
      'The failing test was right: splitCompound now rounds before it splits, so that 5.999 ft is 6 ft.',
      'sum, mean and underscores in numbers are there, with tests. README, guide and changelog say so.',
    ].join(' '),
  ),
  ...report.filter(({ name }) => name === 'report/failure'),
];

/** A step that makes the calls of several steps of the sample plan at once. */
function atOnce(name: string, say: string, ...parts: readonly string[]): PlanStep {
  const steps = parts.map((part) => {
    const found = known.get(part);
    if (found === undefined) throw new Error(`The sample plan has no step '${part}'.`);
    return found;
  });
  return { name, turn: (memory) => ({ say, calls: steps.flatMap((each) => turnOf(each, memory).calls) }) };
}

function unlessFailed(results: readonly ToolResult[]): string | undefined {
  return results.some(({ text }) => /\[exit status [^0]/.test(text)) ? 'report/failure' : undefined;
}
