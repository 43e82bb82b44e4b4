import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { use } from './scripted-model.js';
import type { Turn } from './scripted-model.js';

/** A whole task on the sample project: a test fails, its cause is found and repaired. The history is condensed on the way. */

const project = fileURLToPath(new URL('../sample-project/', import.meta.url));

/** The files of the sample project. */
export const repairFiles: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(project, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(project, path)).isFile())
    .map((path) => [path, readFileSync(join(project, path), 'utf8')]),
);

/** Masks old results and lists old steps, early and often. What changes files is asked about. */
export const repairConfig = `
[permissions]
allow = ["run_command(node test/rational.test.js)", "run_command(node test/compound.test.js)"]

[sandbox]
mode = "off"

[condenser]
type = "pipeline"
stages = [
  { type = "observationMasking", attentionWindow = 8, minSavedTokens = 2000 },
  { type = "extractiveSummary", maxSize = 26, keepFirst = 2 },
]
`;

export const repairRequest = 'The test of splitCompound fails. Repair it.';
export const repairAnswer =
  'splitCompound now rounds **before** it splits, so 5.999 ft is 6 ft. All tests of `compound` pass.';

const read = (path: string) => use('read_file', { path });
const runTests = use('run_command', { command: 'node test/compound.test.js' });

/** Up to the edit, which waits for a yes. */
export const repairTurns: readonly Turn[] = [
  {
    thinking: 'I do not know the project. First I look at what there is, then I run the test that fails.',
    text: 'I look around.',
    calls: [use('list_files', {}), read('README.md')],
  },
  { text: 'What fails, and how?', calls: [runTests] },
  { text: 'The code and its test.', calls: [read('src/compound.js'), read('test/compound.test.js')] },
  { text: 'How do numbers round?', calls: [read('src/rational.js'), read('src/quantity.js')] },
  { text: 'Who splits amounts?', calls: [use('search', { pattern: 'splitCompound' })] },
  { text: 'How is it shown?', calls: [read('src/format.js'), read('src/convert.js')] },
  { text: 'And where units come from.', calls: [read('src/registry.js')] },
  { text: 'Are there numbers in the input that round?', calls: [read('src/parser.js'), read('src/tokenizer.js')] },
  { text: 'What the guide promises.', calls: [read('docs/guide.md')] },
  {
    thinking:
      'The last part is rounded after the others were split off. It must be rounded first, in the smallest unit.',
    text: 'The last part is rounded too late: 11.988 in become 12 in, and nobody carries them.',
    calls: [
      use('edit_file', {
        path: 'src/compound.js',
        old_text: '  let rest = quantity.value.absolute();\n',
        new_text:
          '  const smallest = ordered.at(-1).factor;\n' +
          '  // Rounded before it is split, so that a part that rounds up is carried.\n' +
          '  let rest = quantity.value.absolute().divide(smallest).round(decimals).multiply(smallest);\n',
      }),
    ],
  },
];

/** After the edit. */
export const repairEnd: readonly Turn[] = [
  { text: 'Again.', calls: [runTests] },
  { text: 'The numbers below it still pass?', calls: [use('run_command', { command: 'node test/rational.test.js' })] },
  { text: repairAnswer },
];
