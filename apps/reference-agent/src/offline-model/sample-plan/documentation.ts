import type { PlanStep } from '../plan.js';
import { edit, read, search, step } from './steps.js';

const entry = `- Compounds carry: 5.999 ft is \`6 ft\`, not \`5 ft 12 in\`.
- \`sum\` and \`mean\`, also of temperatures.
- Underscores group digits: \`12_500 m\`.
`;

/** Says in words what changed. */
export const documentation: readonly PlanStep[] = [
  step(
    'documentation/guide',
    'The guide says how digits are grouped.',
    edit(
      'docs/guide.md',
      'Digits may be grouped by thin spaces. A comma is refused',
      'Digits may be grouped by thin spaces or underscores (`12_500 m`). A comma is refused',
    ),
  ),
  step(
    'documentation/rounding',
    'And how compounds are rounded.',
    edit(
      'docs/guide.md',
      'Numbers are rounded once, when they are shown; a half goes away from zero.\n',
      'Numbers are rounded once, when they are shown; a half goes away from zero.\n\nA compound is rounded in its smallest unit before it is split, so that 5.999 ft is `6 ft`.\n',
    ),
  ),
  step(
    'documentation/readme',
    'The two new functions belong into the table.',
    edit(
      'README.md',
      '| `joinCompound(parts)`                      | the parts added up again             |\n',
      '| `joinCompound(parts)`                      | the parts added up again             |\n| `sum(quantities)`, `mean(quantities)`      | in the unit of the first             |\n',
    ),
  ),
  {
    name: 'documentation/changelog',
    turn: { say: 'The changelog.', calls: [edit('CHANGELOG.md', '\n## ', `\n${entry}\n## `)] },
    next: ([result]) => (result?.isError === true ? undefined : 'documentation/mentions'),
  },
  step(
    'documentation/changelog-again',
    'That stands there more than once. I name the place exactly.',
    edit('CHANGELOG.md', '## Unreleased\n', `## Unreleased\n\n${entry}`),
  ),
  step(
    'documentation/mentions',
    'Does any text still say something else?',
    search('grouped by|joinCompound|5 ft 12', '.'),
  ),
  step('documentation/read', 'I read the changelog as a user would.', read('CHANGELOG.md')),
];
