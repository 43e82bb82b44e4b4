import { generatedTask, taskFamilies, usualSize, usualSizes } from '../../live/tasks/families.js';
import { writeTask } from '../../live/tasks/folder.js';

/** Options of `palimpsest-harness tasks`, as the command line gives them. */
export interface TasksCommandOptions {
  /** Names of families. Empty: all. */
  readonly family: readonly string[];
  readonly size?: number;
  readonly seeds: readonly number[];
}

/** Writes a task of each family for each seed, and prints where they are. */
export async function tasksCommand(folder: string, { family: names, size, seeds }: TasksCommandOptions): Promise<void> {
  const families = taskFamilies.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const family of families) {
    for (const seed of seeds) {
      const task = generatedTask(family, size ?? usualSizes[family.name] ?? usualSize, seed);
      process.stdout.write(`${await writeTask(folder, task)}\n`);
    }
  }
}
