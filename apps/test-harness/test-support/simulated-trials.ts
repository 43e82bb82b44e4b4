import { randomNumbers } from '../src/random-numbers.js';
import type { Trial } from '../src/live/trial.js';

/** An experiment whose truth is known. */
export interface SimulatedExperiment {
  readonly tasks: number;
  /** Of each task in each arm. */
  readonly trials: number;
  /** The probability that a trial without condensation is solved. @defaultValue 0.7 in every task: the case with the greatest spread */
  readonly solves?: (random: () => number) => number;
  /** The points that the arm loses of it, as a share. @defaultValue 0 */
  readonly loss?: number;
  /** The share that the arm saves. @defaultValue 0 */
  readonly saving?: number;
  /** The spread of a trial's cost: the standard deviation of its logarithm. @defaultValue 0.5 */
  readonly sd?: number;
}

const agent = { name: 'simulated' };

/** Returns the results of experiments, one after the other, the same for a seed. The arms are `none` and `arm`. */
export function* simulatedTrials(
  { tasks, trials, solves = () => 0.7, loss = 0, saving = 0, sd = 0.5 }: SimulatedExperiment,
  { experiments, seed }: { readonly experiments: number; readonly seed: number },
): Generator<readonly Trial[]> {
  const random = randomNumbers(seed);
  for (let experiment = 0; experiment < experiments; experiment++) {
    const results: Trial[] = [];
    for (let task = 1; task <= tasks; task++) {
      const name = `task-${task}`;
      const solved = solves(random);
      // Tasks differ in their size far more than the arms do.
      const size = Math.exp(1.2 * normal(random));
      for (const arm of ['none', 'arm']) {
        const [probability, factor] = arm === 'none' ? [solved, 1] : [solved - loss, 1 - saving];
        for (let trial = 1; trial <= trials; trial++) {
          results.push({
            type: 'trial',
            task: name,
            family: 'simulated',
            arm,
            trial,
            solved: random() < probability,
            costUsd: size * factor * Math.exp(sd * normal(random)),
            // Most runs read nothing again, some read a lot.
            rereads: { results: 0, tokens: random() < 0.4 ? Math.round(4_000 * Math.exp(normal(random))) : 0 },
            agent,
          });
        }
      }
    }
    yield results;
  }
}

/** Returns a normal number. @see Box and Muller, "A note on the generation of random normal deviates" (1958) */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
