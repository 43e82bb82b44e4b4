import type { Command } from 'commander';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { usualData } from '../data-folder.js';
import type { WorkerProgram } from '../server/supervisor.js';

/** The help of `--subscription`. */
export const subscriptionHelp = `also condense what a subscription's login sends. Providers' terms restrict routing such credentials, and may be enforced
without notice; what is saved there is no money`;

/** The file of the gateway's process, beside the command's. */
export const workerProgram: WorkerProgram = {
  file: path.join(path.dirname(fileURLToPath(import.meta.url)), 'worker.js'),
};

/** The options of every command that starts a gateway or reads what one keeps. */
export interface DataFlags {
  readonly data: string;
}

/** Adds `--data`. */
export function withData(command: Command): Command {
  return command.option('--data <folder>', 'the folder of what is kept', usualData);
}
