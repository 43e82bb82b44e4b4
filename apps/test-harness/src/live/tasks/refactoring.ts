import type { PlanFact, PlanStep } from '@palimpsest/provider-servers';
import type { TaskFamily } from './task.js';
import { code, factIn, hidden, numbers, programLines, textOf } from './texts.js';

/** A call in each of many files that is renamed by a table, after all of them were read. */
export const refactoring: TaskFamily = {
  name: 'refactoring',
  summary: 'old text of many files, and a table of new names',
  draft: (size, random) => {
    const files: Record<string, string> = {};
    const facts: Record<string, PlanFact> = {};
    const expected: Record<string, string> = {};
    const table = ['# New names', ''];
    const edits: PlanStep[] = [];
    for (const number of numbers(size)) {
      const [name, rate] = [`rate${code(random)}`, code(random)];
      const file = `src/part${number}.js`;
      const oldText = `  return legacyRate(amount, ${rate});`;
      const newText = (value: string) => `  return ${value}(amount, ${rate});`;
      const lines = hidden([oldText], programLines(80, random), random);
      files[file] = textOf(lines);
      expected[file] = textOf(lines.map((line) => (line === oldText ? newText(name) : line)));
      table.push(`In part${number} the call becomes ${name}.`);
      facts[`line-${number}`] = factIn(file, lines, oldText.trim(), oldText);
      facts[`name-${number}`] = { shows: `In part${number} the call becomes ${name}.`, value: name, file: 'names.md' };
      const made = { oldText: `{{line-${number}}}`, newText: newText(`{{name-${number}}}`) };
      edits.push({ do: 'edit', file, ...made });
    }
    files['names.md'] = textOf(table);
    const reads = ['names.md', ...Object.keys(files).filter((file) => file !== 'names.md')];
    return {
      instruction: `Each file of the folder \`src\` has one call of \`legacyRate\`. Each call gets a name of its own.

1. Read \`names.md\`, which has the new names.
2. Read each file of \`src\` whole, in the order of their names, and look whether anything else depends on \`legacyRate\`. Nothing is changed yet.
3. Then edit the files, in the same order: put the new name of the file in the place of \`legacyRate\`. The number behind it stays as it is, and so does everything else.

Write no script for this: read and edit the files one by one.
`,
      files,
      expected,
      plan: { facts, steps: [...reads.map((file): PlanStep => ({ do: 'read', file })), ...edits] },
    };
  },
};
