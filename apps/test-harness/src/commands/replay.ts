import type { Command } from 'commander';
import type { ReplayCommandOptions } from '../replay-command.js';
import { collect, positiveInteger } from './argument-parsers.js';

/** Adds `palimpsest-harness replay`. */
export function addReplayCommand(program: Command): void {
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
    .action(async (paths: readonly string[], options: ReplayCommandOptions) => {
      const { replayCommand } = await import('../replay-command.js');
      process.exitCode = await replayCommand(paths, options);
    });
}
