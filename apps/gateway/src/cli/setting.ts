import type { PresetName } from '@palimpsest/condensers';
import { InvalidArgumentError, Option } from 'commander';
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

const holdOutHelp = [
  'passes this share of all sessions unchanged, drawn before their first request: 10%.',
  '`report` compares the others with them, and says what is saved when that is known',
].join(' ');

/** The options of every command that starts a gateway. */
export interface CondensingFlags {
  readonly preset?: PresetName;
  readonly subscription: boolean;
  readonly holdout?: number;
}

/** Adds what says how a gateway condenses. */
export function withCondensing(command: Command): Command {
  return command
    .addOption(new Option('--preset <name>', 'what condensation is for').choices(presets))
    .option('--subscription', subscriptionHelp, false)
    .option('--holdout <share>', holdOutHelp, shareOf);
}

function shareOf(text: string): number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  const share = Number(percent) / 100;
  if (share > 0 && share < 1) return share;
  throw new InvalidArgumentError('A share is above 0% and below 100%: 10%.');
}

/** The options of every command that starts a gateway or reads what one keeps. */
export interface DataFlags {
  readonly data: string;
}

/** Adds `--data`. */
export function withData(command: Command): Command {
  return command.option('--data <folder>', 'the folder of what is kept', usualData);
}
