import type { Trial } from '../live/trial.js';

/** The name of a measure. */
export type MeasureName = 'solved' | 'cost' | 'steps' | 'rereads' | 'refused-edits' | 'time';

/** Something that is measured in each trial and compared by task. */
export interface Measure {
  readonly name: MeasureName;
  /**
   * How it is compared. `rate`: the difference of the shares of solved trials, by exact sign flips. `ratio`: the mean of the logarithms of the
   * ratios, of what is never zero. `difference`: the mean difference, of what is often zero.
   */
  readonly by: 'rate' | 'ratio' | 'difference';
  /** The direction that is a loss. */
  readonly worse: 'less' | 'more';
  /** Returns the value of a trial. Undefined where it was not measured. */
  value(trial: Trial): number | undefined;
}

/** All measures, in the order in which they are shown. */
export const measures: readonly Measure[] = [
  { name: 'solved', by: 'rate', worse: 'less', value: ({ solved }) => (solved ? 1 : 0) },
  { name: 'cost', by: 'ratio', worse: 'more', value: ({ costUsd }) => costUsd },
  { name: 'steps', by: 'ratio', worse: 'more', value: ({ steps }) => steps },
  { name: 'rereads', by: 'difference', worse: 'more', value: ({ rereads }) => rereads?.tokens },
  { name: 'refused-edits', by: 'difference', worse: 'more', value: ({ refusedEdits }) => refusedEdits },
  { name: 'time', by: 'ratio', worse: 'more', value: ({ wallMs }) => wallMs },
];
