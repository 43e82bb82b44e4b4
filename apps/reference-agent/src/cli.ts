#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addDemoCommand } from './commands/demo.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const program = new Command('palimpsest').description('A coding agent that condenses its history.').version(version);
addDemoCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  const { expectedProblem } = await import('./expected-problem.js');
  const problem = expectedProblem(error);
  if (problem === undefined) throw error;
  process.stderr.write(`palimpsest: ${problem}\n`);
  process.exitCode = 2;
}
