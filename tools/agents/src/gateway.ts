import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { workspaceRoot } from './agents-folder.js';
import type { HostRun } from './host.js';
import type { Place } from './place.js';
import type { Command } from './program.js';

const folder = path.join(workspaceRoot, 'apps/gateway/dist');
const workerFile = path.join(folder, 'worker.js');

export const gatewayFile = path.join(folder, 'cli.js');

/** Returns a command as it is, or with `palimpsest-gateway run --` before it. */
export function led({ way }: HostRun, command: Command): Command {
  if (way !== 'gateway') return command;
  const { program, args } = command;
  return { ...command, program: process.execPath, args: [gatewayFile, 'run', '--', program, ...args] };
}

/** Kills the process of the gateway that listens for a place's agent. Its supervisor stays. */
export async function killGateway({ home }: Place): Promise<void> {
  for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const words = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
    if (!words.includes(workerFile)) continue;
    const environment = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').includes(`HOME=${home}`)) process.kill(Number(id), 'SIGKILL');
  }
}
