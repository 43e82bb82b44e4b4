import type { PlanFact, PlanStep } from '@palimpsest/provider-servers';
import type { TaskFamily } from './task.js';
import { code, factIn, hidden, numbers, pick, proseLines, textOf } from './texts.js';

const parts = ['roof', 'door', 'wall', 'stair', 'floor', 'gate', 'chimney', 'cellar'];

/** A long dialogue, as letters, in which the user changes his mind, and goes back to what he said first. */
export const changesOfMind: TaskFamily = {
  name: 'changes-of-mind',
  summary: 'what the user said first in a long dialogue, and last',
  draft: (size, random) => {
    const files: Record<string, string> = {};
    const facts: Record<string, PlanFact> = {};
    const expected: Record<string, string> = {};
    const steps: PlanStep[] = [];
    /** The names of the facts that hold now, and that held first. */
    const [now, first] = [new Map<string, string>(), new Map<string, string>()];
    numbers(size).forEach((number, index) => {
      const file = `letters/l${number}.md`;
      const part = index < parts.length ? (parts[index] ?? '') : pick(parts, random);
      const goesBack = index >= parts.length && random() < 0.5;
      const value = code(random);
      const said = goesBack
        ? `I have changed my mind: the ${part} gets the number again that I wanted for it first.`
        : `The ${part} gets the number ${value}.`;
      const lines = hidden([said], proseLines(60, random), random);
      files[file] = textOf(lines);
      steps.push({ do: 'read', file });
      const name = goesBack ? (first.get(part) ?? '') : `${part}-${number}`;
      if (!goesBack) facts[name] = factIn(file, lines, said, value);
      if (!first.has(part)) first.set(part, name);
      now.set(part, name);
      const asked = pick([...now.keys()], random);
      const fact = now.get(asked) ?? '';
      expected[`answers/l${number}.txt`] = textOf([
        `${part}: ${facts[name]?.value}`,
        `${asked}: ${facts[fact]?.value}`,
      ]);
      files[file] = textOf([...lines, `Answer with the number of the ${part}, and with that of the ${asked}.`]);
      const text = textOf([`${part}: {{${name}}}`, `${asked}: {{${fact}}}`]);
      steps.push({ do: 'write', file: `answers/l${number}.txt`, text });
    });
    const last = [...now].sort(([one], [other]) => (one < other ? -1 : 1));
    expected['plan.txt'] = textOf(last.map(([part, name]) => `${part}: ${facts[name]?.value}`));
    steps.push({ do: 'write', file: 'plan.txt', text: textOf(last.map(([part, name]) => `${part}: {{${name}}}`)) });
    return {
      instruction: `A client writes letters about a house, and changes his mind. They are in the folder \`letters\`.

1. Read the letters whole, one after another, in the order of their names. Answer each before you open the next: the answer to \`letters/l01.md\` is \`answers/l01.txt\`, with the two lines that the letter asks for, such as \`roof: 11111\`. They hold what the client wants by then.
2. In the end write \`plan.txt\` with a line for each part of the house, in the order of the alphabet, as the client wants it now.

Write no script for this: read the letters one by one.
`,
      files,
      expected,
      plan: { facts, steps },
    };
  },
};
