import { describe, expect, test } from 'vitest';
import { simulatedTrials } from '../../test-support/simulated-trials.js';
import type { SimulatedExperiment } from '../../test-support/simulated-trials.js';
import { compareMeasure } from './compare-measure.js';
import { measures } from './measures.js';
import type { MeasureName } from './measures.js';
import { pairedTasks } from './paired-tasks.js';

const experiments = 2_000;

/** The shares of experiments whose interval holds the truth, and of those that see a difference. */
interface Shares {
  readonly covered: number;
  readonly seen: number;
}

/** Returns the shares of each measure whose true difference is given. */
function shares(
  experiment: SimulatedExperiment,
  truths: Partial<Record<MeasureName, number>>,
): Partial<Record<MeasureName, Shares>> {
  const found: Partial<Record<MeasureName, Shares>> = {};
  for (const trials of simulatedTrials(experiment, { experiments, seed: 1 })) {
    const of = (name: string): typeof trials => trials.filter(({ arm }) => arm === name);
    const tasks = pairedTasks(of('none'), of('arm'));
    for (const measure of measures) {
      const truth = truths[measure.name];
      const compared = truth === undefined ? undefined : compareMeasure(tasks, measure);
      if (truth === undefined || compared === undefined) continue;
      const { covered, seen } = found[measure.name] ?? { covered: 0, seen: 0 };
      const { interval, verdict } = compared;
      const holds = interval !== undefined && interval.low <= truth && truth <= interval.high;
      found[measure.name] = {
        covered: covered + Number(holds) / experiments,
        seen: seen + Number(verdict !== 'unseen') / experiments,
      };
    }
  }
  return found;
}

describe.each([12, 24, 48, 100])('of 2,000 experiments with %d tasks', (tasks) => {
  test('93 to 97 % of the intervals of cost and of solved tasks hold a true saving and a true loss', () => {
    const found = shares({ tasks, trials: 3, saving: 0.25, loss: 0.1 }, { cost: -0.25, solved: -0.1 });
    for (const measure of ['cost', 'solved'] as const) {
      expect(found[measure]?.covered, measure).toBeGreaterThan(0.93);
      expect(found[measure]?.covered, measure).toBeLessThan(0.97);
    }
  });

  test.each([
    ['one trial of tasks of the same difficulty', 1, (): number => 0.7],
    [
      'three trials of tasks that are mostly easy or impossible',
      3,
      (random: () => number): number => (random() < 0.6 ? 0.95 : random() < 0.5 ? 0.05 : 0.5),
    ],
  ])('under 7 %% see a difference between equal arms, with %s', (_, trials, solves) => {
    const found = shares({ tasks, trials, solves }, { cost: 0, solved: 0, rereads: 0 });
    for (const measure of ['cost', 'solved', 'rereads'] as const)
      expect(found[measure]?.seen, measure).toBeLessThan(0.07);
  });
});
