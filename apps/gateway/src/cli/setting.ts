import type { PresetName } from '@palimpsest/condensers';
import { PalimpsestError } from '@palimpsest/events';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { madeFolder, usualData } from '../data-folder.js';
import { GatewayError } from '../gateway-error.js';
import type { WorkerProgram } from '../server/supervisor.js';
import type { CondensingOptions } from '../server/worker-messages.js';

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
  /** A file that describes another condenser. */
  readonly config?: string;
  readonly subscription: boolean;
  readonly holdout?: number;
}

/** Adds what says how a gateway condenses. */
export function withCondensing(command: Command): Command {
  return command
    .addOption(new Option('--preset <name>', 'what condensation is for').choices(presets))
    .addOption(
      new Option('--config <file>', 'a file, TOML or JSON, that describes another condenser').conflicts('preset'),
    )
    .option('--subscription', subscriptionHelp, false)
    .option('--holdout <share>', holdOutHelp, shareOf);
}

function shareOf(text: string): number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  const share = Number(percent) / 100;
  if (share > 0 && share < 1) return share;
  throw new InvalidArgumentError('A share is above 0% and below 100%: 10%.');
}

/** Returns what the flags say, and makes the folder of what is kept. @throws {@link GatewayError} when a file describes no condenser */
export async function condensingOptions(flags: CondensingFlags & DataFlags): Promise<CondensingOptions> {
  const { preset, config, subscription, holdout, data } = flags;
  return { preset, config: await condenserFile(config), subscription, holdOut: holdout, data: await madeFolder(data) };
}

async function condenserFile(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const { loadCondenserFile } = await import('@palimpsest/condensers/node');
  try {
    await loadCondenserFile(file);
  } catch (error) {
    if (!PalimpsestError.isInstance(error)) throw error;
    throw new GatewayError('invalid-file', error.message, { cause: error });
  }
  return path.resolve(file);
}

/** The options of every command that starts a gateway or reads what one keeps. */
export interface DataFlags {
  readonly data: string;
}

/** Adds `--data`. */
export function withData(command: Command): Command {
  return command.option('--data <folder>', 'the folder of what is kept', usualData);
}
