import { randomNumbers } from '../../random-numbers.js';
import { changesOfMind } from './changes-of-mind.js';
import { earlyConstants } from './early-constants.js';
import { earlyLog } from './early-log.js';
import { notes } from './notes.js';
import { refactoring } from './refactoring.js';
import { rulesOnce } from './rules-once.js';
import type { GeneratedTask, TaskFamily } from './task.js';

/** The generators of tasks. */
export const taskFamilies: readonly TaskFamily[] = [
  earlyConstants,
  rulesOnce,
  refactoring,
  earlyLog,
  notes,
  changesOfMind,
];

/** The size at which a family is as its name says: a refactoring over 40 files, notes of 60 documents. */
export const usualSizes: Readonly<Record<string, number>> = { refactoring: 40, notes: 60 };

/** The size of any other family. */
export const usualSize = 40;

/** Makes the task of a family that a size and a seed give. */
export function generatedTask(family: TaskFamily, size: number, seed: number): GeneratedTask {
  // Families draw from numbers of their own, or tasks of one seed would share their codes.
  const own = taskFamilies.indexOf(family) + 1;
  const draft = family.draft(size, randomNumbers(seed * 7_919 + own * 104_729 + size));
  return { name: `${family.name}-${size}-${seed}`, family: family.name, size, seed, ...draft };
}
