import type { Command } from 'commander';
import type { TrustFlags } from '../cli/trust.js';

/** Adds `palimpsest trust`. */
export function addTrustCommand(program: Command): void {
  program
    .command('trust')
    .description('Let the configuration of a project count: its models, addresses, permissions and packages.')
    .argument('[folder]', 'the project; without it the current folder')
    .option('--remove', 'trust the folder no longer')
    .option('--list', 'show the folders that are trusted')
    .action(async (folder: string | undefined, flags: TrustFlags) => {
      const { trustCommand } = await import('../cli/trust.js');
      const { processContext } = await import('../context.js');
      await trustCommand(folder, flags, processContext());
    });
}
