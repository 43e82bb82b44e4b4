import type { Command } from 'commander';
import type { ConformCommandOptions } from '../conform-command.js';
import { collect, positiveInteger, positiveIntegers } from './argument-parsers.js';

/** Adds `palimpsest-harness conform`. */
export function addConformCommand(program: Command): void {
  program
    .command('conform')
    .description('run the contract of condensers against a package, and say which rules it keeps')
    .argument('<package>', 'the name of a package that is installed here, or the path of its folder: ./my-condenser')
    .option('--options <json>', 'the options of the condenser, as JSON (default: its defaults)')
    .option('--export <name>', 'test only this export (default: every condenser that the package exports)')
    .option('--property <name>', 'test this export as a view property; may be given more than once', collect, [])
    .option('--log <path>', 'a session log that the condenser must act on; may be given more than once', collect, [])
    .option('--seeds <numbers>', 'the seeds of the generated logs, such as 1,2,3', positiveIntegers)
    .option('--rule <number>', 'run only this rule', positiveInteger)
    .option('-w, --context-window <tokens>', 'the window that the condenser is told of', positiveInteger)
    .option('--timeout <seconds>', 'a rule that takes longer is broken', positiveInteger, 60)
    .option('--json', 'print the results as JSON', false)
    .action(async (name: string, options: ConformCommandOptions) => {
      const { conformCommand } = await import('../conform-command.js');
      process.exitCode = await conformCommand(name, options);
    });
}
