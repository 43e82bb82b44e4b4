import type { Command } from 'commander';
import type { ListFlags } from '../cli/list.js';

/** Adds `palimpsest list`. */
export function addListCommand(program: Command): void {
  program
    .command('list')
    .description('List the sessions of this folder, the last used first.')
    .option('--all', 'the sessions of all folders')
    .option('--json', 'as JSON')
    .action(async (flags: ListFlags) => {
      const { listCommand } = await import('../cli/list.js');
      const { processContext } = await import('../context.js');
      process.exitCode = await listCommand(flags, processContext());
    });
}
