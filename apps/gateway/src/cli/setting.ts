import type { PresetName } from '@palimpsest/condensers';
import { Option } from 'commander';
import type { Command } from 'commander';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { usualData } from '../data-folder.js';
import type { WorkerProgram } from '../server/supervisor.js';

/** The file of the gateway's process, beside the command's. */
export const workerProgram: WorkerProgram = {
  file: path.join(path.dirname(fileURLToPath(import.meta.url)), 'worker.js'),
};

const presets: readonly PresetName[] = ['balanced', 'cheapest', 'remembersMost', 'noCache'];

const subscriptionHelp = [
  "also condense what a subscription's login sends.",
  "Providers' terms restrict routing such credentials, and may be enforced without notice;",
  'what is saved there is no money',
].join(' ');

/** The options of every command that starts a gateway. */
export interface CondensingFlags {
  readonly preset?: PresetName;
  readonly subscription: boolean;
}

/** Adds what says how a gateway condenses. */
export function withCondensing(command: Command): Command {
  return command
    .addOption(new Option('--preset <name>', 'what condensation is for').choices(presets))
    .option('--subscription', subscriptionHelp, false);
}

/** The options of every command that starts a gateway or reads what one keeps. */
export interface DataFlags {
  readonly data: string;
}

/** Adds `--data`. */
export function withData(command: Command): Command {
  return command.option('--data <folder>', 'the folder of what is kept', usualData);
}
