import type { PresetName } from '@palimpsest/condensers';
import { Option } from 'commander';
import type { Command } from 'commander';
import { madeFolder } from '../data-folder.js';
import { run } from '../run/run.js';
import { subscriptionHelp, withData, workerProgram } from './setting.js';
import type { DataFlags } from './setting.js';

const presets: readonly PresetName[] = ['balanced', 'cheapest', 'remembersMost', 'noCache'];

interface Flags extends DataFlags {
  readonly env?: string;
  readonly preset?: PresetName;
  readonly subscription: boolean;
}

/** Adds the command that starts an agent behind a gateway of its own. */
export function addRun(program: Command): void {
  withData(program.command('run', { isDefault: true }))
    .description('starts an agent behind a gateway of its own')
    .usage('[options] -- COMMAND [ARGUMENTS...]')
    .argument('<command...>', 'the agent, with its arguments: claude, codex, qwen')
    .option('--env <name>', 'the variable that holds the base URL of another agent')
    .addOption(new Option('--preset <name>', 'what condensation is for').choices(presets))
    .option('--subscription', subscriptionHelp, false)
    .action(async ([command = '', ...parameters]: string[], { env, preset, subscription, data }: Flags) => {
      process.exitCode = await run(command, parameters, {
        variable: env,
        preset,
        subscription,
        data: await madeFolder(data),
        worker: workerProgram,
      });
    });
}
