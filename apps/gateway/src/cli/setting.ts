import envPaths from 'env-paths';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerProgram } from '../server/supervisor.js';

/** The help of `--subscription`. */
export const subscriptionHelp = `also condense what a subscription's login sends. Providers' terms restrict routing such credentials, and may be enforced
without notice; what is saved there is no money`;

/** The file of the gateway's process, beside the command's. */
export const workerProgram: WorkerProgram = {
  file: path.join(path.dirname(fileURLToPath(import.meta.url)), 'worker.js'),
};

/** Returns a folder of what the gateway keeps, for its user alone. Creates it. */
export async function keptFolder(name: string): Promise<string> {
  const directory = path.join(envPaths('palimpsest-gateway', { suffix: '' }).data, name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}
