import { pathToFileURL } from 'node:url';
import { alignedTable, coloursFor, linePrinter, printableLine, printableText } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';
import { armsOf, compareArms } from '../../compare/comparison.js';
import type { ArmComparison, ArmTotals, Comparison } from '../../compare/comparison.js';
import {
  differenceText,
  intervalText,
  lossTexts,
  measureWords,
  valueText,
  verdictText,
} from '../../compare/comparison-text.js';
import { readTrials } from '../../compare/read-trials.js';
import { HarnessError } from '../../harness-error.js';
import { ownVersion } from '../../own-package.js';
import { count, number } from '../number-text.js';

/** Options of `palimpsest-harness compare`, as the command line gives them. */
export interface CompareCommandOptions {
  /** The arm that the others are compared with. @defaultValue `none`, or the first */
  readonly beside?: string;
  readonly json?: true;
  /** The page to write. @defaultValue none */
  readonly html?: string;
}

/**
 * Prints the comparison of the arms of live runs, losses first.
 *
 * @throws {@link HarnessError} `results` when the results cannot be read, or hold fewer than two arms; `page-not-written`
 */
export async function compareCommand(sources: readonly string[], options: CompareCommandOptions): Promise<void> {
  const trials = await readTrials(sources);
  const arms = armsOf(trials);
  const beside = options.beside ?? arms.find((arm) => arm === 'none') ?? arms[0];
  if (beside === undefined || arms.length < 2 || !arms.includes(beside)) {
    const named = arms.length === 0 ? 'none is there' : `there is ${arms.map((arm) => `'${arm}'`).join(', ')}`;
    const wanted =
      options.beside === undefined ? 'Two arms are needed to compare' : `No arm '${options.beside}', and another`;
    throw new HarnessError('results', `${wanted}; ${named}.`);
  }
  const comparison = compareArms(trials, beside);
  const print = linePrinter(process.stdout);
  const file = options.html === undefined ? undefined : await writePage(comparison, options.html);
  if (options.json === true) {
    await print(JSON.stringify(comparison, null, 2));
    return;
  }
  for (const line of comparisonLines(comparison)) await print(line);
  if (file !== undefined) await print(`\n${printableText(pathToFileURL(file).href)}`);
}

async function writePage(comparison: Comparison, output: string): Promise<string> {
  const { writeComparisonPage } = await import('../../page/compare-page.js');
  return writeComparisonPage({ harness: ownVersion(), createdAt: new Date().toISOString(), comparison }, output);
}

/** Returns the lines of a comparison: what is lost, and then a table of each arm. */
function comparisonLines(comparison: Comparison): readonly string[] {
  const { beside, arms, comparisons } = comparison;
  const { bold } = coloursFor(process.stdout);
  const losses = comparisons.flatMap((each) => lossTexts(each, beside));
  const stopped = arms.filter((arm) => arm.stopped > 0);
  return [
    bold('Losses'),
    ...(losses.length === 0 ? ['None was seen.'] : losses.map(printableLine)),
    ...stopped.map(({ arm, stopped: trials, trials: all }) =>
      printableLine(`${arm}: ${trials} of ${count(all, 'trial')} did not end by themselves. They count as they are.`),
    ),
    ...comparisons.flatMap((each) => ['', ...armLines(each, beside, bold)]),
    '',
    ...totalLines(arms, bold),
    ...(comparisons.length > 1
      ? ['', `${comparisons.length} arms are compared: one comparison in twenty shows a difference by chance alone.`]
      : []),
  ];
}

/** Returns the table of an arm: the means of a trial, their difference, and what was seen. */
function armLines(comparison: ArmComparison, beside: string, bold: Colours['bold']): readonly string[] {
  const { arm, tasks, trials, unpaired, measures } = comparison;
  const left = unpaired === 0 ? '' : `; ${count(unpaired, 'task')} of one arm alone left out`;
  const title = `${arm} beside ${beside}: ${count(tasks, 'task')}, ${count(trials, 'trial')} each${left}`;
  const cells = measures.map((each) => [
    measureWords[each.measure].name,
    valueText(each.measure, each.without),
    valueText(each.measure, each.within),
    differenceText(each, each.difference),
    intervalText(each),
  ]);
  const head = ['', printableLine(beside), printableLine(arm), 'difference', '95 % interval'];
  const seen = ['', ...measures.map(verdictText)];
  const table = alignedTable([head, ...cells], bold).split('\n');
  return [bold(printableLine(title)), ...table.map((line, index) => `${line}  ${seen[index] ?? ''}`.trimEnd())];
}

/** Returns the table of what each arm came to. A run that fails early is cheap: the cost of a solved trial tells. */
function totalLines(arms: readonly ArmTotals[], bold: Colours['bold']): readonly string[] {
  const money = (value: number | undefined): string =>
    value === undefined || !Number.isFinite(value) ? '–' : valueText('cost', value);
  const rows = arms.map(({ arm, trials, solved, costUsd }) => [
    printableLine(arm),
    number(trials),
    number(solved),
    money(costUsd),
    money(costUsd === undefined ? undefined : costUsd / solved),
  ]);
  return alignedTable([['all trials', 'trials', 'solved', 'cost', 'cost by solved'], ...rows], bold).split('\n');
}
