import type { Measure, MeasureName } from './measures.js';
import { meanInterval, meanOf, tasksNeeded } from './mean-interval.js';
import { pairedMeans } from './paired-tasks.js';
import type { PairedTask } from './paired-tasks.js';
import { signFlipProbability } from './sign-flips.js';

/** The finding: a loss, a gain, or a difference that chance alone may have made. */
export type Verdict = 'worse' | 'better' | 'unseen';

/** A measure of one arm beside the other, over the tasks of both. */
export interface MeasureComparison {
  readonly measure: MeasureName;
  readonly by: Measure['by'];
  /** The tasks in which every trial of both arms was measured. */
  readonly tasks: number;
  /** The means over the tasks, of a trial. */
  readonly without: number;
  readonly within: number;
  /** Of a ratio: the share by which a typical task changes, −0.1 is 10 % less. Else the mean difference. */
  readonly difference: number;
  /** Its 95 % interval. @defaultValue fewer than two tasks, or no task differs from another */
  readonly interval?: { readonly low: number; readonly high: number };
  /** The probability of such a difference by chance alone. Of rates. */
  readonly probability?: number;
  readonly verdict: Verdict;
  /** The tasks more with which four of five experiments would show a difference of this size. @defaultValue seen, or none, or over 10,000 */
  readonly moreTasks?: number;
  /** True if all trials together went the other way than the typical task: a few of them are large. */
  readonly isAgainstSum: boolean;
}

/** Differences by chance alone are called seen in one of twenty comparisons. */
const level = 0.05;

/** A difference as it is shown. That of rates cannot exceed 1, which an interval of few tasks does not know. */
const shownBy: Readonly<Record<Measure['by'], (difference: number) => number>> = {
  rate: (difference) => Math.max(-1, Math.min(1, difference)),
  ratio: Math.expm1,
  difference: (difference) => difference,
};

/** Returns the comparison of a measure over tasks. Undefined if no task has it in both arms. */
export function compareMeasure(tasks: readonly PairedTask[], measure: Measure): MeasureComparison | undefined {
  const means = tasks.flatMap((task) => pairedMeans(task, measure) ?? []);
  if (means.length === 0) return undefined;
  const differences = means.map(({ difference }) => difference);
  const shown = shownBy[measure.by];
  const mean = meanOf(differences);
  const found = meanInterval(differences);
  const probability = measure.by === 'rate' ? signFlipProbability(differences) : undefined;
  const isSeen = probability === undefined ? found !== undefined && found.low * found.high > 0 : probability < level;
  const isWorse = mean > 0 === (measure.worse === 'more');
  const needed = isSeen || found === undefined ? undefined : tasksNeeded(found);
  const [without, within] = [meanOf(means.map((each) => each.without)), meanOf(means.map((each) => each.within))];
  return {
    measure: measure.name,
    by: measure.by,
    tasks: means.length,
    without,
    within,
    difference: shown(mean),
    ...(found && { interval: { low: shown(found.low), high: shown(found.high) } }),
    ...(probability !== undefined && { probability }),
    verdict: isSeen ? (isWorse ? 'worse' : 'better') : 'unseen',
    ...(needed !== undefined && { moreTasks: Math.max(1, needed - means.length) }),
    isAgainstSum: measure.by === 'ratio' && (within - without) * mean < 0,
  };
}
