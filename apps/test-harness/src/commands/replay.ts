import type { Command } from 'commander';
import type { ReplayCommandOptions } from '../replay-command.js';
import { rivalList } from '../rivals/descriptions.js';
import { collect } from './argument-parsers.js';
import { addSharedOptions } from './shared-options.js';

/** Adds `palimpsest-harness replay`. */
export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .description(
      'replay session logs; at every recorded model call build the view, condense it, and measure what is sent',
    )
    .argument('<path...>', 'session logs, or folders of them; recognised by their content')
    .option(
      '-c, --condenser <name>',
      'a condenser, or a package that is installed here; with options, and several values of one, as in extractiveSummary:maxTokens=20000,40000; a policy of another project (rival:…), or all of them (rivals); may be given more than once (default: all of ours)',
      collect,
      [],
    )
    .option('--model <name>', 'also show what the sessions cost with this model, in USD at the prices of today')
    .option(
      '--summariser <provider/name>',
      'really ask this model for summaries, as openai/… or anthropic/…; its key is read from the environment (default: a stand-in, offline)',
    )
    .option('--sessions', 'show a table for each session too', false)
    .option('--all', 'show every table: bills by prices, recall by kind and distance, requests', false)
    .option('--json', 'print the whole report as JSON instead of the table', false);
  command.addHelpText('after', rivalList());
  addSharedOptions(command).action(async (paths: readonly string[], options: ReplayCommandOptions) => {
    const { replayCommand } = await import('../replay-command.js');
    process.exitCode = await replayCommand(paths, options);
  });
}
