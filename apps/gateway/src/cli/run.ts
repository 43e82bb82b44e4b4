import type { Command } from 'commander';
import { run } from '../run/run.js';
import { condensingOptions, withCondensing, withData, workerProgram } from './setting.js';
import type { CondensingFlags, DataFlags } from './setting.js';

interface Flags extends DataFlags, CondensingFlags {
  readonly env?: string;
}

/** Adds the command that starts an agent behind a gateway of its own. */
export function addRun(program: Command): void {
  withCondensing(withData(program.command('run', { isDefault: true })))
    .description('starts an agent behind a gateway of its own')
    .usage('[options] -- COMMAND [ARGUMENTS...]')
    .argument('<command...>', 'the agent, with its arguments: claude, codex, qwen')
    .option('--env <name>', 'the variable that holds the base URL of another agent')
    .action(async ([command = '', ...parameters]: string[], { env, ...flags }: Flags) => {
      const condensing = await condensingOptions(flags);
      process.exitCode = await run(command, parameters, { ...condensing, variable: env, program: workerProgram });
    });
}
