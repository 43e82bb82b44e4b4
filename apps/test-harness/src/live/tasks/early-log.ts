import type { PlanFact, PlanStep } from '@palimpsest/provider-servers';
import type { TaskFamily } from './task.js';
import { code, factIn, hidden, inPieces, logLines, numbers, programLines, shuffled, textOf } from './texts.js';

/** A failure whose causes stand in logs that were read long before it is known what has failed. */
export const earlyLog: TaskFamily = {
  name: 'early-log',
  summary: 'causes of a failure, in early logs',
  draft: (size, random) => {
    const files: Record<string, string> = {};
    const facts: Record<string, PlanFact> = {};
    const steps: PlanStep[] = [];
    for (const number of numbers(size)) {
      const file = `logs/day${number}.log`;
      const changes = ['cache', 'queue', 'retry'].map((part) => {
        const [name, before] = [`${part}.limit.${number}`, code(random)];
        return { name, before, shows: `${name} was ${before}`, after: code(random) };
      });
      const logged = changes.map(({ shows, after }) => `11:07 WARN setting changed: ${shows}, is ${after}`);
      const lines = hidden(logged, logLines(80, random), random);
      files[file] = textOf(lines);
      for (const { name, before, shows } of changes) facts[name] = factIn(file, lines, shows, before);
      steps.push({ do: 'read', file });
    }
    for (const number of numbers(size)) {
      const file = `src/s${number}.js`;
      files[file] = textOf(programLines(60, random));
      steps.push({ do: 'read', file });
    }
    const failed = shuffled(Object.keys(facts), random).slice(0, size);
    files['failure.md'] = textOf(['These settings have caused the failure:', '', ...failed]);
    steps.push({ do: 'read', file: 'failure.md' });
    const expected: Record<string, string> = {};
    inPieces(failed, 5).forEach((piece, index) => {
      const file = `restored/r${index + 1}.txt`;
      expected[file] = textOf(piece.map((name) => `${name} = ${facts[name]?.value}`));
      steps.push({ do: 'write', file, text: textOf(piece.map((name) => `${name} = {{${name}}}`)) });
    });
    return {
      instruction: `A service has failed, and the settings that caused it have to be restored.

1. Read each log of the folder \`logs\` whole, in the order of their names. Each says of some settings what they were and what they became.
2. Read each file of the folder \`src\` whole, in the order of their names.
3. Only then open \`failure.md\`, which names the settings that caused the failure.
4. Write the first five of them into \`restored/r1.txt\`, the next five into \`restored/r2.txt\`, and so on, in the order of \`failure.md\`. A line for each: \`name = value\`, with the value that the setting had before it was changed.

Write no script for this: read the files one by one.
`,
      files,
      expected,
      plan: { facts, steps },
    };
  },
};
