import type { Command } from 'commander';
import { run } from '../run/run.js';
import { keptFolder, subscriptionHelp, workerProgram } from './setting.js';

interface Flags {
  readonly env?: string;
  readonly subscription: boolean;
}

/** Adds the command that starts an agent behind a gateway of its own. */
export function addRun(program: Command): void {
  program
    .command('run', { isDefault: true })
    .description('starts an agent behind a gateway of its own')
    .usage('[options] -- COMMAND [ARGUMENTS...]')
    .argument('<command...>', 'the agent, with its arguments: claude, codex, qwen')
    .option('--env <name>', 'the variable that holds the base URL of another agent')
    .option('--subscription', subscriptionHelp, false)
    .action(async ([command = '', ...parameters]: string[], { env, subscription }: Flags) => {
      const directory = await keptFolder('sessions');
      process.exitCode = await run(command, parameters, {
        variable: env,
        subscription,
        directory,
        worker: workerProgram,
      });
    });
}
