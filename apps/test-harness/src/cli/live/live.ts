import type { PlannedModelKind } from '@palimpsest/provider-servers';
import { armsOf } from '../../live/arms.js';
import { runLive } from '../../live/live.js';
import type { LiveEnd, LiveProgress } from '../../live/live.js';
import { promptSizes } from '../../live/prompt-sizes.js';
import { ResultsFile } from '../../live/results-file.js';
import { readTasks } from '../../live/task-folder.js';
import type { Trial } from '../../live/trial.js';
import { interruptedStatus, untilInterrupted } from '../interrupt.js';
import { duration, progress } from '../progress.js';

/** Options of `palimpsest-harness live`, as the command line gives them. */
export interface LiveCommandOptions {
  readonly agent: string;
  readonly arm: readonly string[];
  readonly gateway: string;
  readonly env?: string;
  readonly trials: number;
  readonly seed: number;
  /** Unit: USD. */
  readonly budget?: number;
  /** Unit: minutes. */
  readonly timeout?: number;
  readonly output: string;
  readonly scripted?: PlannedModelKind;
  readonly rereads: 'exact' | 'varied';
}

/** The last words of the command. */
const endings: Readonly<Record<LiveEnd, string>> = {
  done: 'Done.',
  budget: 'The budget is spent. With a larger one the same command goes on.',
  interrupted: 'Interrupted. The same command goes on.',
};

/**
 * Runs tasks with an agent under several arms, and appends the results. Resolves to the exit status.
 *
 * @throws {@link HarnessError} when a task, an arm or a command is wrong
 */
export async function liveCommand(folder: string, options: LiveCommandOptions): Promise<number> {
  const [tasks, arms] = await Promise.all([readTasks(folder), armsOf(options.arm)]);
  const shown = progress();
  const startedAt = performance.now();
  let run = 0;
  const stateOf = ({ done, count, costUsd }: LiveProgress): string => {
    const left = run === 0 ? '' : `, about ${duration(((performance.now() - startedAt) / run) * (count - done))} left`;
    return `${done} of ${count}, ${costUsd === undefined ? 'at an unknown cost' : usd(costUsd)}${limit(options.budget)}${left}`;
  };
  try {
    const end = await untilInterrupted((signal) =>
      runLive({
        tasks,
        arms,
        trials: options.trials,
        seed: options.seed,
        budgetUsd: options.budget,
        agent: options.agent,
        gateway: options.gateway,
        variable: options.env,
        script: options.scripted === undefined ? undefined : { kind: options.scripted, rereads: options.rereads },
        timeoutMs: options.timeout === undefined ? undefined : options.timeout * 60_000,
        results: options.output,
        signal,
        onTrial: (trial, state) => {
          run++;
          shown.line(`${lineOf(trial)} (${stateOf(state)})`);
        },
        onCost: ({ task, arm }, state) => shown.update(`${task.name}, ${arm.name}: ${stateOf(state)}`),
      }),
    );
    for (const line of sizeLines(await new ResultsFile(options.output).read())) shown.line(line);
    shown.line(`${endings[end]} The results are in ${options.output}: palimpsest-harness compare ${options.output}`);
    return end === 'interrupted' ? interruptedStatus : 0;
  } finally {
    shown.stop();
  }
}

function lineOf({ task, arm, solved, stopped, costUsd, steps }: Trial): string {
  const ended = stopped === undefined ? '' : `, stopped: ${stopped}`;
  const cost = costUsd === undefined ? '' : `, ${usd(costUsd)}`;
  return `${task}, ${arm}: ${solved ? 'solved' : 'not solved'}${ended}, ${steps ?? 0} steps${cost}`;
}

/** Truncation is a fair control if its prompts are as large as those of the arm that it controls. */
function sizeLines(results: readonly Trial[]): readonly string[] {
  const sizes = [...promptSizes(results)].map(([arm, tokens]) => `${arm} ${Math.round(tokens / 1_000)}k`);
  return sizes.length === 0 ? [] : [`Mean size of a prompt, in tokens: ${sizes.join(', ')}.`];
}

function usd(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

function limit(budget: number | undefined): string {
  return budget === undefined ? '' : ` of ${usd(budget)}`;
}
