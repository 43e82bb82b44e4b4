import type { PlanFact, PlanStep } from '@palimpsest/provider-servers';
import type { TaskFamily } from './task.js';
import { code, factIn, hidden, inPieces, numbers, pick, programLines, shuffled, textOf } from './texts.js';

/** Constants of files that are read first, which the last files ask about. */
export const earlyConstants: TaskFamily = {
  name: 'early-constants',
  summary: 'constants of early files, used at the end',
  draft: (size, random) => {
    const files: Record<string, string> = {};
    const facts: Record<string, PlanFact> = {};
    const steps: PlanStep[] = [];
    for (const number of numbers(size)) {
      const [limit, before] = [code(random), code(random)];
      const file = `modules/m${number}.js`;
      const shows = `const LIMIT_${number} = ${limit};`;
      const former = `// Until last year LIMIT_${number} was ${before}.`;
      const lines = hidden([`export ${shows}`, former], programLines(90, random), random);
      files[file] = textOf(lines);
      facts[number] = factIn(file, lines, shows, limit);
      steps.push({ do: 'read', file });
    }
    for (const number of numbers(size)) {
      const file = `later/s${number}.js`;
      files[file] = textOf(programLines(60, random));
      steps.push({ do: 'read', file });
    }
    const services = shuffled(Object.keys(facts), random).map(
      (one) => [one, pick(Object.keys(facts), random)] as const,
    );
    const lines = services.map(([one, other], index) => `service ${index + 1} uses modules m${one} and m${other}`);
    files['questions.md'] = textOf(lines);
    steps.push({ do: 'read', file: 'questions.md' });
    const expected: Record<string, string> = {};
    inPieces(services, 5).forEach((piece, index) => {
      const file = `answers/a${index + 1}.txt`;
      const line = (value: (name: string) => string) =>
        piece.map(([one, other], at) => `service ${index * 5 + at + 1}: ${value(one)} ${value(other)}`);
      expected[file] = textOf(line((name) => facts[name]?.value ?? ''));
      steps.push({ do: 'write', file, text: textOf(line((name) => `{{${name}}}`)) });
    });
    return {
      instruction: `Review a program, file by file.

1. Read each file of the folder \`modules\` whole, in the order of their names. Each defines one constant, \`LIMIT_NN\`.
2. Read each file of the folder \`later\` whole, in the order of their names.
3. Only then open \`questions.md\`. Each line names a service and two modules.
4. Write \`answers/a1.txt\` for the services 1 to 5, \`answers/a2.txt\` for the next five, and so on. A line for each service: \`service 1: 11111 22222\`, with the constants of its first and its second module, as the code defines them.

Write no script for this: read the files one by one.
`,
      files,
      expected,
      plan: { facts, steps },
    };
  },
};
