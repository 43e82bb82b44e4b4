#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { harnessProgram } from './program.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const program = harnessProgram().version(version);

// Bad usage has the exit status of all bad input.
for (const command of [program, ...program.commands]) {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

try {
  await program.parseAsync();
} catch (error) {
  const { expectedProblem } = await import('./expected-problem.js');
  const problem = expectedProblem(error);
  if (problem === undefined) throw error;
  const { shownLines } = await import('@palimpsest/terminal');
  process.stderr.write(`palimpsest-harness: ${shownLines(problem)}\n`);
  process.exitCode = 2;
}
