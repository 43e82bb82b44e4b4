import { cpuClock, median } from '../measure.js';
import { syntheticHistory } from './histories.js';
import type { History, Part } from './histories.js';

/** Warm-up, because an engine compiles code that runs often. Unit: milliseconds of steps per subject. */
const warmUpMs = 200;
const warmUpRounds = 200;
/** Beginning anew costs what a history is long, so the warm-up has a short one. */
const small = syntheticHistory(40);

/** A subject of the comparison: an agent's history that grows by a part and gives the messages to send. */
export interface Subject {
  readonly name: string;
  /**
   * Takes the history in, as an agent has it that has been at work for so long. What it returns is called with each further part
   * and gives what is sent.
   */
  begin(history: History): Step | Promise<Step>;
  /** Only so many steps are measured, of what would take minutes; 1: in a single round, without a warm-up. @defaultValue all */
  readonly mostSteps?: number;
}

export type Step = (part: Part) => unknown;

/**
 * Measures the CPU time of a step, on average over the steps of the history but the first quarter; the median of the rounds. The subjects take turns.
 * With `--expose-gc`, garbage is collected before the steps, and what they leave is counted with them.
 *
 * @param subjectsFor the subjects for a history: the warm-up has a short one, on which they have to do the same
 * @param steps how many of the history's steps
 */
export async function compare(
  title: string,
  history: History,
  subjectsFor: (history: History) => readonly Subject[],
  { steps = history.steps.length, rounds = 5 } = {},
): Promise<void> {
  const subjects = subjectsFor(history);
  const times = subjects.map((): number[] => []);
  // An engine discards the compiled code for a kind of object when no such object is left.
  const alive: Step[] = [];
  const warmUpSteps = Math.min(steps, small.steps.length);
  for (const subject of subjectsFor(small).filter(({ mostSteps }) => mostSteps !== 1)) {
    for (let round = 0, spent = 0; round < warmUpRounds && spent < warmUpMs; round++) {
      spent += (await timeOf(subject, small, warmUpSteps)).time * warmUpSteps;
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const [index, subject] of subjects.entries()) {
      if (round > 0 && subject.mostSteps === 1) continue;
      const { time, step } = await timeOf(subject, history, steps, globalThis.gc);
      times[index]?.push(time);
      alive[index] = step;
    }
  }
  if (alive.length < subjects.length) throw new Error('every subject ran');
  const medians = times.map(median);
  console.log(`\n${title}; ${history.name}, ${history.start.messages.length.toLocaleString('en-GB')} messages`);
  for (const [index, { name }] of subjects.entries()) {
    const [time = NaN, ours = NaN] = [medians[index], medians[0]];
    const ratio = time / ours;
    console.log(
      `  ${(ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2)).padStart(8)}×  ${time.toFixed(4).padStart(11)} ms  ${name}`,
    );
  }
}

/** Returns the CPU time of a step, on average, and what took the steps. Unit: milliseconds. */
async function timeOf(
  subject: Subject,
  history: History,
  steps: number,
  collect?: () => void,
): Promise<{ readonly time: number; readonly step: Step }> {
  const step = await subject.begin(history);
  const parts = history.steps.slice(0, Math.min(steps, subject.mostSteps ?? steps));
  // An agent at work has taken steps before: what the first one finds out of a whole history is not what a step costs, and collections
  // of garbage discard compiled code that was not run for a while.
  const before = parts.length === 1 ? 0 : Math.ceil(parts.length / 4);
  for (const part of parts.slice(0, before)) await step(part);
  const counted = parts.slice(before);
  collect?.();
  const start = cpuClock();
  for (const part of counted) await step(part);
  return { time: (cpuClock() - start) / counted.length, step };
}
