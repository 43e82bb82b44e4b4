import type { Command } from 'commander';
import type { InspectCommandOptions } from '../inspect-command.js';
import { positiveInteger } from './argument-parsers.js';

/** Adds `palimpsest-harness inspect`. */
export function addInspectCommand(program: Command): void {
  program
    .command('inspect')
    .description('show what a model was sent at a call of a session, and what each condensation did')
    .argument('<log>', 'a session log; recognised by its content')
    .option('--call <number>', 'the model call, from 1 (default: the last)', positiveInteger)
    .option('-c, --condenser <name>', 'replay this condenser, of ours or a package (default: as the log has it)')
    .option('--config <file>', 'replay the condenser that a file (TOML or JSON) describes')
    .option('-w, --context-window <tokens>', 'the window that the condenser is told of', positiveInteger)
    .option('--session <name>', 'the session of a log of several, by name or number')
    .option('--largest <number>', 'how many of the largest items are listed', positiveInteger, 10)
    .option('--json', 'print everything as JSON, with the whole text of every item', false)
    .action(async (log: string, options: InspectCommandOptions) => {
      const { inspectCommand } = await import('../inspect-command.js');
      await inspectCommand(log, options);
    });
}
