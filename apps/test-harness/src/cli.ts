#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { PalimpsestError } from '@palimpsest/events';
import { Command, InvalidArgumentError } from 'commander';
import { replayCommand } from './replay-command.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

const program = new Command('palimpsest-harness')
  .description('Replays recorded agent sessions through condensers, and shows what each would have sent.')
  .version(version);

program
  .command('replay')
  .description(
    'replay session logs; at every recorded model call build the view, condense it, and measure what is sent',
  )
  .argument('<path...>', 'session logs, or folders of them; recognised by their content')
  .option(
    '-c, --condenser <name>',
    'a condenser to compare with none; may be given more than once (default: all)',
    collect,
    [],
  )
  .option(
    '--config <file>',
    'a file (TOML or JSON) that describes one more condenser, of a package too; may be given more than once',
    collect,
    [],
  )
  .option('-w, --context-window <tokens>', 'the window that condensers are told of', positiveInteger)
  .option('--model <name>', 'also show what the sessions cost with this model, in USD at the prices of today')
  .option('--sessions', 'show a table for each session too', false)
  .option('--json', 'print the whole report as JSON instead of tables', false)
  .action(async (paths: readonly string[], options: Parameters<typeof replayCommand>[1]) => {
    process.exitCode = await replayCommand(paths, options);
  });

// Bad usage has the exit status of all bad input.
for (const command of [program, ...program.commands]) {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

try {
  await program.parseAsync();
} catch (error) {
  if (!PalimpsestError.isInstance(error)) throw error;
  process.stderr.write(`palimpsest-harness: ${error.message}\n`);
  process.exitCode = 2;
}

function collect(name: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, name];
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value <= 0) throw new InvalidArgumentError('A whole number above 0 is needed.');
  return value;
}
