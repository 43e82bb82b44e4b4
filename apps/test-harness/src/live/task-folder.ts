import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { HarnessError, messageOf } from '../harness-error.js';

const configuration = z.object({
  metadata: z.object({ family: z.string().optional(), seed: z.int().optional() }).optional(),
  agent: z.object({ timeout_sec: z.number().positive().optional() }).optional(),
  verifier: z.object({ timeout_sec: z.number().positive().optional() }).optional(),
});

/** A task as a folder in the format of Harbor, as far as it is run without a container. */
export interface TaskFolder {
  readonly folder: string;
  /** The name of the folder. */
  readonly name: string;
  readonly family: string;
  readonly seed?: number | undefined;
  readonly instruction: string;
  /** The times for the agent and for the check. Unit: milliseconds. */
  readonly agentMs: number;
  readonly checkMs: number;
}

/** Harbor's own. Unit: seconds. */
const usualSeconds = 600;

/**
 * Reads the tasks in a folder: itself, or those directly below it.
 *
 * @throws {@link HarnessError} when there is none, or one cannot be run without a container
 */
export async function readTasks(folder: string): Promise<readonly TaskFolder[]> {
  const below = (await readdir(folder).catch(() => [])).sort().map((name) => path.join(folder, name));
  const places = (await isThere(path.join(folder, 'task.toml'))) ? [folder] : below;
  const tasks: TaskFolder[] = [];
  for (const place of places) if (await isThere(path.join(place, 'task.toml'))) tasks.push(await readTask(place));
  if (tasks.length === 0)
    throw new HarnessError('live', `No task is in '${folder}': a task is a folder with a task.toml.`);
  return tasks;
}

async function readTask(folder: string): Promise<TaskFolder> {
  const name = path.basename(folder);
  try {
    const {
      metadata = {},
      agent,
      verifier,
    } = configuration.parse(parse(await readFile(path.join(folder, 'task.toml'), 'utf8')));
    if (!(await isThere(path.join(folder, 'environment/files'))))
      throw new Error('its files are in a container alone: run it with Harbor');
    return {
      folder,
      name,
      family: metadata.family ?? path.basename(path.dirname(folder)),
      seed: metadata.seed,
      instruction: await readFile(path.join(folder, 'instruction.md'), 'utf8'),
      agentMs: (agent?.timeout_sec ?? usualSeconds) * 1_000,
      checkMs: (verifier?.timeout_sec ?? usualSeconds) * 1_000,
    };
  } catch (cause) {
    throw new HarnessError('live', `Task '${name}' cannot be run here: ${messageOf(cause)}`, { cause });
  }
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
