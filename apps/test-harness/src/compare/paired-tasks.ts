import type { Trial } from '../live/trial.js';
import type { Measure } from './measures.js';
import { meanOf } from './mean-interval.js';

/** A task that was run in both arms, with its trials in each. */
export interface PairedTask {
  readonly task: string;
  readonly without: readonly Trial[];
  readonly within: readonly Trial[];
}

/** A task's means of a measure, over its trials in each arm. */
export interface PairedMeans {
  readonly without: number;
  readonly within: number;
  /** The difference, as the measure compares: of rates, of means, or of means of logarithms. */
  readonly difference: number;
}

/** So that task 10 stands behind task 9. */
const byName = new Intl.Collator('en', { numeric: true });

/** Returns the tasks of both arms, by name. */
export function pairedTasks(without: readonly Trial[], within: readonly Trial[]): readonly PairedTask[] {
  const [one, other] = [byTask(without), byTask(within)];
  return [...one]
    .flatMap(([task, trials]) => {
      const others = other.get(task);
      return others === undefined ? [] : [{ task, without: trials, within: others }];
    })
    .sort((first, second) => byName.compare(first.task, second.task));
}

/** Returns the means of a measure in a task. Undefined if a trial lacks it: a mean of some trials would choose among them. */
export function pairedMeans({ without, within }: PairedTask, { by, value }: Measure): PairedMeans | undefined {
  const [one, other] = [valuesOf(without, value), valuesOf(within, value)];
  if (one === undefined || other === undefined) return undefined;
  const means = { without: meanOf(one), within: meanOf(other) };
  if (by !== 'ratio') return { ...means, difference: means.within - means.without };
  const difference = meanOf(other.map(Math.log)) - meanOf(one.map(Math.log));
  return Number.isFinite(difference) ? { ...means, difference } : undefined;
}

function valuesOf(trials: readonly Trial[], value: Measure['value']): readonly number[] | undefined {
  const values = trials.map(value).filter((each) => each !== undefined);
  return values.length === trials.length ? values : undefined;
}

/** Returns the trials of each task. */
export function byTask(trials: readonly Trial[]): ReadonlyMap<string, readonly Trial[]> {
  const found = new Map<string, Trial[]>();
  for (const trial of trials) {
    const own = found.get(trial.task) ?? [];
    own.push(trial);
    found.set(trial.task, own);
  }
  return found;
}
