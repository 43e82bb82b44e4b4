import { HarnessError } from '../harness-error.js';
import type { Arm } from './arms.js';
import { ResultsFile } from './results-file.js';
import { runTrial } from './run-trial.js';
import type { TrialOptions } from './run-trial.js';
import { schedule } from './schedule.js';
import type { Planned } from './schedule.js';
import type { TaskFolder } from './task-folder.js';
import { trialKey } from './trial.js';
import type { Trial } from './trial.js';

/** Options of {@link runLive}. */
export interface LiveOptions extends TrialOptions {
  readonly tasks: readonly TaskFolder[];
  readonly arms: readonly Arm[];
  /** The trials of each task in each arm. */
  readonly trials: number;
  /** The seed of the order. */
  readonly seed: number;
  /** No trial begins, and none goes on, when all trials have cost this much. Unit: USD. @defaultValue none */
  readonly budgetUsd?: number | undefined;
  readonly signal: AbortSignal;
  readonly onTrial?: ((done: Trial, progress: LiveProgress) => void) | undefined;
  /** Told now and then, while a trial runs. */
  readonly onCost?: ((planned: Planned, progress: LiveProgress) => void) | undefined;
}

/** The progress of a run. */
export interface LiveProgress {
  readonly done: number;
  readonly count: number;
  /** Of all trials, with those of before. Unit: USD. @defaultValue the price of a model is not known */
  readonly costUsd: number | undefined;
}

/** The end of a run. `budget`: the money is spent; `interrupted`: the signal ended it. What is left is run by the next one. */
export type LiveEnd = 'done' | 'budget' | 'interrupted';

/**
 * Runs every task under every arm, and appends a line of results for each. What stands in the results already is not run again.
 *
 * @throws {@link HarnessError} when a trial tells nothing: the agent does not start, the check gives no reward, a budget is set and no price known
 */
export async function runLive(options: LiveOptions): Promise<LiveEnd> {
  const { tasks, arms, trials, seed, budgetUsd = Infinity, signal, onTrial, onCost } = options;
  const file = new ResultsFile(options.results);
  const before = await file.read();
  const planned = schedule(tasks, arms, trials, seed);
  const known = new Set(before.map(trialKey));
  const isKnown = ({ task, arm, trial }: Planned) => known.has(trialKey({ task: task.name, arm: arm.name, trial }));
  let done = planned.filter(isKnown).length;
  let costUsd = costOf(before);
  for (const next of planned) {
    if (isKnown(next)) continue;
    if (signal.aborted) return 'interrupted';
    if (budgetUsd < Infinity && costUsd === undefined) throw unknownPrice();
    const spent = costUsd ?? 0;
    if (spent >= budgetUsd) return 'budget';
    const result = await runTrial(next, options, {
      leftUsd: budgetUsd - spent,
      signal,
      onCost: (usd) => onCost?.(next, { done, count: planned.length, costUsd: spent + usd }),
    });
    if (result === undefined) return 'interrupted';
    await file.append(result);
    done++;
    costUsd = sum(costUsd, result.costUsd);
    onTrial?.(result, { done, count: planned.length, costUsd });
  }
  return 'done';
}

function costOf(results: readonly Trial[]): number | undefined {
  return results.reduce<number | undefined>((cost, result) => sum(cost, result.costUsd), 0);
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}

function unknownPrice(): HarnessError {
  return new HarnessError('live', 'A trial has no known cost, so that the budget cannot be kept: leave out --budget.');
}
