import { relative } from 'node:path';
import { printableText, wrapToWidth } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';
import type { Comparison } from '../output/figures.js';
import { savedShare } from '../output/figures.js';
import { alignColumns, formatDollars, formatNumber, formatShare } from '../output/lines.js';

const widestText = 100;
const longestAnswer = 6;

/** The end of a demo: `demo-report`, the last line of `--json`. */
export interface DemoReport extends Comparison {
  readonly conversationId: string;
  readonly model: string;
  /** The event log, as an absolute path. */
  readonly logFile: string;
  /** The model's final words. */
  readonly answer?: string;
  readonly ending: 'done' | 'stuck' | 'limit' | 'error' | 'interrupted';
  /** The reason why the run failed, when it did. */
  readonly failure?: string;
  /** The tests, run once more in the workspace after the agent had stopped. Absent when the run was interrupted. */
  readonly tests?: { readonly exitStatus: number; readonly output: string };
}

/** Options of {@link demoEnding}. */
export interface DemoEndingOptions {
  readonly colors: Colours;
  /** Of the terminal. Unit: columns. */
  readonly width: number;
  /** The folder that the path of the log is told from. */
  readonly cwd: string;
}

/**
 * Returns the text that ends the demo: what the model says, the tests, what was saved, and how to see more. A script
 * has nothing to say.
 */
export function demoEnding(report: DemoReport, { colors, width, cwd }: DemoEndingOptions): readonly string[] {
  const text = Math.min(widestText, width);
  const lines = [
    ...(report.answer === undefined || report.model === 'offline' ? [] : answerLines(report.answer, text)),
    ...testLines(report.tests, colors),
    // Without a model call there is nothing to count.
    ...(report.steps === 0 ? [] : [...savings(report, text, colors), ...nextLines(report.logFile, cwd, colors)]),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** One line, or all that the tests printed if they fail. */
function testLines(tests: DemoReport['tests'], { bold, green, red }: Colours): readonly string[] {
  if (tests === undefined) return [];
  const output = printableText(tests.output.trim());
  const title = bold('The tests, run once more:');
  // The runner of the sample project says on its last line how many passed.
  if (tests.exitStatus === 0) return [`${title} ${green(output.split('\n').at(-1) ?? '')}`];
  return ['', title, red(output)];
}

function nextLines(logFile: string, cwd: string, { bold }: Colours): readonly string[] {
  // A line of its own, and not indented: it is copied, and fits 100 columns.
  return [
    'What each request held, and what other condensers would save, as a page:',
    bold(reportCommand(logFile, cwd)),
  ];
}

/** The command that makes a page of the log. */
function reportCommand(logFile: string, cwd: string): string {
  const below = relative(cwd, logFile);
  const path = below.startsWith('..') ? logFile : below;
  const word = /^[\w./+:@-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
  return `npx palimpsest-harness report ${printableText(word)}`;
}

function answerLines(answer: string, width: number): readonly string[] {
  const lines = wrapToWidth(printableText(answer.trim()), width);
  return lines.length <= longestAnswer ? lines : [...lines.slice(0, longestAnswer - 1), '… (the log has the rest)'];
}

/** The tokens and the cost, with condensation and without. Rows without a difference are left out. */
function savings(report: DemoReport, width: number, { bold, dim }: Colours): readonly string[] {
  const rows = (
    [
      ['tokens sent', report.tokensSent, report.tokensUncondensed, formatNumber],
      ['cost', report.costUsd, report.costUncondensedUsd, formatDollars],
    ] as const
  )
    .map(
      ([name, paid, whole, inWords]) =>
        [name, inWords(paid), inWords(whole), formatShare(savedShare(paid, whole))] as const,
    )
    .filter(([, paid, whole]) => paid !== whole);
  if (rows.length === 0)
    return [`Nothing was condensed: ${formatNumber(report.tokensSent)} tokens sent, ${formatDollars(report.costUsd)}.`];
  const [head, ...lines] = alignColumns([
    [formatNumber(report.steps) + ' model calls', 'condensed', 'without', 'saved'],
    ...rows,
  ]);
  return [
    dim(head ?? ''),
    ...lines.map((line) => bold(line)),
    ...wrapToWidth(basis(report), width).map((line) => dim(line)),
  ];
}

function basis({ pricedAs, model, tokensByProvider }: DemoReport): string {
  const counted = model === 'offline' ? '' : ` The provider counted ${formatNumber(tokensByProvider)} tokens.`;
  return `Tokens are estimates. Prices: ${pricedAs.join(' and ')}, with its prompt cache.${counted}`;
}
