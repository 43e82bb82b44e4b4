import { randomNumbers } from '../random-numbers.js';
import type { Arm } from './arms.js';
import type { TaskFolder } from './task-folder.js';

/** A trial that is to be run. */
export interface Planned {
  readonly task: TaskFolder;
  readonly arm: Arm;
  /** The first is 1. */
  readonly trial: number;
}

/**
 * Returns all trials in the order in which they are run. Tasks are shuffled in each round, and the arms within a task: those of one task
 * are near each other in time, so that an hour in which the provider is slow or another model answers falls on all arms alike.
 */
export function schedule(
  tasks: readonly TaskFolder[],
  arms: readonly Arm[],
  trials: number,
  seed: number,
): readonly Planned[] {
  const random = randomNumbers(seed);
  const shuffle = <Item>(items: readonly Item[]): readonly Item[] =>
    items
      .map((item) => ({ item, key: random() }))
      .sort((one, other) => one.key - other.key)
      .map(({ item }) => item);
  return Array.from({ length: trials }, (_, index) =>
    shuffle(tasks).flatMap((task) => shuffle(arms).map((arm) => ({ task, arm, trial: index + 1 }))),
  ).flat();
}
