import { studentQuantile } from './student.js';

/** The mean of independent values, and its 95 % interval. */
export interface MeanInterval {
  readonly mean: number;
  /** The standard deviation of the values. */
  readonly sd: number;
  readonly low: number;
  readonly high: number;
}

/** Returns Student's 95 % interval of a mean. Undefined of fewer than two values, and of equal ones, which say nothing of their spread. */
export function meanInterval(values: readonly number[]): MeanInterval | undefined {
  const count = values.length;
  const mean = meanOf(values);
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1));
  // What differs by less is the rounding of a sum.
  if (count < 2 || sd <= 1e-12 * Math.abs(mean)) return undefined;
  const half = (studentQuantile(0.975, count - 1) * sd) / Math.sqrt(count);
  return { mean, sd, low: mean - half, high: mean + half };
}

/** Returns the mean. NaN of none. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The most tasks that {@link tasksNeeded} tells of. */
const mostTasks = 10_000;

/** Normal quantiles of 97.5 % and of 80 %. */
const [level, power] = [1.96, 0.8416];

/**
 * Returns the number of tasks with which four of five experiments would show a difference of this mean and this spread: with which its 95 %
 * interval would lie on one side of zero. Undefined above 10,000.
 *
 * @see Guenther, "Sample size formulas for normal theory t tests" (1981), for the last term
 */
export function tasksNeeded({ mean, sd }: Pick<MeanInterval, 'mean' | 'sd'>): number | undefined {
  const tasks = Math.ceil(((level + power) * (sd / mean)) ** 2 + level ** 2 / 2);
  return tasks <= mostTasks ? tasks : undefined;
}
