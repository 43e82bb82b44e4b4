import type { Trial } from '../live/trial.js';
import { compareMeasure } from './compare-measure.js';
import type { MeasureComparison } from './compare-measure.js';
import { meanOf } from './mean-interval.js';
import { measures } from './measures.js';
import { byTask, pairedTasks } from './paired-tasks.js';
import type { PairedTask } from './paired-tasks.js';

/** The figures of an arm, over all of its trials. */
export interface ArmTotals {
  readonly arm: string;
  readonly tasks: number;
  readonly trials: number;
  readonly solved: number;
  /** Trials that the agent did not end itself. */
  readonly stopped: number;
  /** The bill of all trials. Unit: USD. @defaultValue of some trial it is not known */
  readonly costUsd?: number;
}

/** A task that one arm solved more often than the other. */
export interface TaskChange {
  readonly task: string;
  /** Solved trials, of how many. */
  readonly without: readonly [solved: number, trials: number];
  readonly within: readonly [solved: number, trials: number];
}

/** An arm beside the one that the others are compared with. */
export interface ArmComparison {
  readonly arm: string;
  /** The tasks that were run in both. */
  readonly tasks: number;
  /** The tasks that were run in one of them alone. They are left out. */
  readonly unpaired: number;
  /** The most trials of a task in an arm. */
  readonly trials: number;
  readonly measures: readonly MeasureComparison[];
  /** Tasks that it solved less often, the greatest loss first, and those that it solved more often. */
  readonly lost: readonly TaskChange[];
  readonly won: readonly TaskChange[];
}

/** The comparison of the arms of an experiment. */
export interface Comparison {
  readonly beside: string;
  readonly arms: readonly ArmTotals[];
  /** Those with losses first, the greatest loss of solved tasks before the others. */
  readonly comparisons: readonly ArmComparison[];
}

/** Returns the names of the arms, in the order in which they come. */
export function armsOf(trials: readonly Trial[]): readonly string[] {
  return [...new Set(trials.map(({ arm }) => arm))];
}

/** Compares each arm with one of them, by task. @param beside - the name of that arm */
export function compareArms(trials: readonly Trial[], beside: string): Comparison {
  const of = (name: string): readonly Trial[] => trials.filter(({ arm }) => arm === name);
  const arms = armsOf(trials);
  const control = of(beside);
  return {
    beside,
    arms: arms.map((arm) => totalsOf(arm, of(arm))),
    comparisons: arms
      .filter((arm) => arm !== beside)
      .map((arm) => compareArm(arm, control, of(arm)))
      .sort(byLoss),
  };
}

function totalsOf(arm: string, trials: readonly Trial[]): ArmTotals {
  const costs = trials.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    arm,
    tasks: byTask(trials).size,
    trials: trials.length,
    solved: trials.filter(({ solved }) => solved).length,
    stopped: trials.filter(({ stopped }) => stopped !== undefined).length,
    ...(costs.length === trials.length && { costUsd: costs.reduce((sum, cost) => sum + cost, 0) }),
  };
}

function compareArm(arm: string, control: readonly Trial[], own: readonly Trial[]): ArmComparison {
  const tasks = pairedTasks(control, own);
  const all = new Set([...control, ...own].map(({ task }) => task));
  const changes = tasks.map((each) => ({ change: changeOf(each), difference: solvedDifference(each) }));
  const sorted = changes.sort((one, other) => one.difference - other.difference);
  return {
    arm,
    tasks: tasks.length,
    unpaired: all.size - tasks.length,
    trials: Math.max(0, ...tasks.flatMap(({ without, within }) => [without.length, within.length])),
    measures: measures.flatMap((measure) => compareMeasure(tasks, measure) ?? []),
    lost: sorted.filter(({ difference }) => difference < 0).map(({ change }) => change),
    won: sorted
      .filter(({ difference }) => difference > 0)
      .reverse()
      .map(({ change }) => change),
  };
}

function solvedDifference({ without, within }: PairedTask): number {
  const rate = (trials: readonly Trial[]): number => meanOf(trials.map(({ solved }) => (solved ? 1 : 0)));
  return rate(within) - rate(without);
}

function changeOf({ task, without, within }: PairedTask): TaskChange {
  const part = (trials: readonly Trial[]): [number, number] => [
    trials.filter(({ solved }) => solved).length,
    trials.length,
  ];
  return { task, without: part(without), within: part(within) };
}

/** Compares by the number of measures that are seen to be worse, and then by the loss of solved tasks. */
function byLoss(one: ArmComparison, other: ArmComparison): number {
  const worse = ({ measures: all }: ArmComparison): number => all.filter(({ verdict }) => verdict === 'worse').length;
  const solved = ({ measures: all }: ArmComparison): number =>
    all.find(({ measure }) => measure === 'solved')?.difference ?? 0;
  const lost = (each: ArmComparison): number => (hasSeenLoss(each) ? solved(each) : 0);
  return lost(one) - lost(other) || worse(other) - worse(one) || solved(one) - solved(other);
}

function hasSeenLoss({ measures: all }: ArmComparison): boolean {
  return all.some(({ measure, verdict }) => measure === 'solved' && verdict === 'worse');
}
