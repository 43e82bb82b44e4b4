import type { PlanFact, PlanStep } from '@palimpsest/provider-servers';
import type { TaskFamily } from './task.js';
import { code, factIn, hidden, numbers, pick, proseLines, textOf } from './texts.js';

const regions = ['north', 'south', 'east', 'west', 'island', 'border'];

/** Rules that the user says once, at the beginning, and that hold for every file. */
export const rulesOnce: TaskFamily = {
  name: 'rules-once',
  summary: 'rules that the user said once',
  draft: (size, random) => {
    const files: Record<string, string> = {};
    const facts: Record<string, PlanFact> = {};
    const expected: Record<string, string> = {};
    const steps: PlanStep[] = [];
    const rules: string[] = [];
    for (const region of regions) {
      const value = code(random);
      const shows = `orders of the ${region} carry the code ${value}`;
      facts[region] = { shows, value };
      rules.push(shows);
    }
    const [office, closing] = [code(random), code(random)];
    facts['office'] = { shows: `the first line is OFFICE ${office}`, value: office };
    facts['closing'] = { shows: `the last line is CLOSED BY ${closing}`, value: closing };
    for (const number of numbers(size)) {
      const region = pick(regions, random);
      const amount = code(random);
      const file = `orders/o${number}.txt`;
      const shows = `Order ${number} of the ${region}: ${amount} pieces.`;
      const lines = hidden([shows], proseLines(70, random), random);
      files[file] = textOf(lines);
      facts[`order-${number}`] = factIn(file, lines, shows, amount);
      const text = (value: (name: string) => string) =>
        textOf([
          `OFFICE ${value('office')}`,
          `${number} ${value(region)} ${value(`order-${number}`)}`,
          `CLOSED BY ${value('closing')}`,
        ]);
      expected[`slips/o${number}.txt`] = text((name) => facts[name]?.value ?? '');
      steps.push(
        { do: 'read', file },
        { do: 'write', file: `slips/o${number}.txt`, text: text((name) => `{{${name}}}`) },
      );
    }
    return {
      instruction: `Write a slip for each order of the folder \`orders\`, one after another, in the order of their names: read the order whole, then write its slip, then go on with the next one.

The slip of \`orders/o01.txt\` is \`slips/o01.txt\`. These rules hold for all of them, and stand nowhere else:

- In every slip ${facts['office'].shows}
- The second line has the number of the order, the code of its region and the pieces, with a space between them: 01 11111 22222
${rules.map((rule) => `- The ${rule}`).join('\n')}
- In every slip ${facts['closing'].shows}

Write no script for this: read the orders one by one.
`,
      files,
      expected,
      plan: { facts, steps },
    };
  },
};
