import type { PlanFact, PlanStep } from '@palimpsest/provider-servers';
import type { TaskFamily } from './task.js';
import { code, factIn, hidden, inPieces, numbers, proseLines, textOf } from './texts.js';

/** Notes of many documents, which are put together in the end. What was noted can be read again from the notes. */
export const notes: TaskFamily = {
  name: 'notes',
  summary: 'notes gathered from many documents',
  draft: (size, random) => {
    const files: Record<string, string> = {};
    const facts: Record<string, PlanFact> = {};
    const expected: Record<string, string> = {};
    const steps: PlanStep[] = [];
    inPieces(numbers(size), 5).forEach((piece, index) => {
      const note = `notes/n${index + 1}.txt`;
      const noted: string[] = [];
      for (const number of piece) {
        const file = `documents/d${number}.md`;
        const found = code(random);
        const shows = `The finding of this document is ${found}.`;
        const lines = hidden([shows], proseLines(70, random), random);
        files[file] = textOf(lines);
        facts[number] = factIn(file, lines, shows, found);
        noted.push(`d${number}: ${found}`);
        steps.push({ do: 'read', file });
      }
      expected[note] = textOf(noted);
      steps.push({ do: 'write', file: note, text: textOf(piece.map((number) => `d${number}: {{${number}}}`)) });
      for (const [at, shows] of noted.entries())
        facts[`noted-${piece[at]}`] = { shows, value: shows, file: note, line: at + 1 };
    });
    const all = [...numbers(size)].reverse();
    expected['summary.txt'] = textOf(all.map((number) => facts[`noted-${number}`]?.value ?? ''));
    steps.push({ do: 'write', file: 'summary.txt', text: textOf(all.map((number) => `{{noted-${number}}}`)) });
    return {
      instruction: `Gather the findings of all documents of the folder \`documents\`. Each has one, in a sentence of its own.

1. Read each document whole, in the order of their names. After five of them write \`notes/n1.txt\`, after the next five \`notes/n2.txt\`, and so on, with a line for each: \`d01: 11111\`. The last notes may have fewer.
2. In the end write \`summary.txt\` with all these lines, the last document first.

Write no script for this: read the documents one by one.
`,
      files,
      expected,
      plan: { facts, steps },
    };
  },
};
