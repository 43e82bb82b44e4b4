import type { Command } from 'commander';
import type { ConfigFlags } from '../cli/config.js';

/** Adds `palimpsest config`. */
export function addConfigCommand(program: Command): void {
  program
    .command('config')
    .description('Show each setting, and where it is from.')
    .option('--json', 'as JSON')
    .option('--schema', 'print the JSON schema of a configuration file instead')
    .option('--forget <rule>', 'remove a rule that an answer made in this folder')
    .option('--cwd <folder>', 'the folder to work in')
    .option('--config <file>', 'a configuration file, instead of the user’s')
    .action(async (flags: ConfigFlags) => {
      const { configCommand } = await import('../cli/config.js');
      const { processContext } = await import('../context.js');
      await configCommand(flags, processContext());
    });
}
