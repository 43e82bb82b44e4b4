import { cpuClock, median } from '../measure.js';
import { syntheticHistory } from './history.js';
import type { History, Part } from './history.js';

/** Warm-up, because an engine compiles code that runs often. Unit: milliseconds of steps per subject. */
const warmUpMs = 200;
const warmUpRounds = 200;
/** Beginning anew costs what a history is long, so the warm-up has a short one. */
const small = syntheticHistory(40);

/** What is compared: an agent's history that grows by a part and gives the messages to send. */
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
 * Measures the CPU time of a step, on average over the steps of the history; the median of the rounds. The subjects take turns.
 * With `--expose-gc`, garbage is collected before each round, and what the steps leave is counted with them.
 *
 * @param steps how many of the history's steps
 */
export async function compare(
  title: string,
  history: History,
  subjects: readonly Subject[],
  { steps = history.steps.length, rounds = 5 } = {},
): Promise<void> {
  const times = subjects.map((): number[] => []);
  for (const subject of subjects.filter(({ mostSteps }) => mostSteps !== 1)) {
    for (let round = 0, spent = 0; round < warmUpRounds && spent < warmUpMs; round++) {
      spent += (await timeOf(subject, small, small.steps.length)) * small.steps.length;
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const [index, subject] of subjects.entries()) {
      if (round > 0 && subject.mostSteps === 1) continue;
      globalThis.gc?.();
      times[index]?.push(await timeOf(subject, history, steps));
    }
  }
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

/** The CPU time of a step, on average. Unit: milliseconds. */
async function timeOf(subject: Subject, history: History, steps: number): Promise<number> {
  const step = await subject.begin(history);
  const parts = history.steps.slice(0, Math.min(steps, subject.mostSteps ?? steps));
  const before = cpuClock();
  for (const part of parts) await step(part);
  return (cpuClock() - before) / parts.length;
}
