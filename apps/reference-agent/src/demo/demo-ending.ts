import { relative } from 'node:path';
import { printableText, wrapToWidth } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';
import type { Comparison } from '../output/figures.js';
import { formatCount } from '../output/lines.js';

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
 * Returns the text that ends the demo: what the model says, the tests, and the command that shows what was saved. The harness alone says
 * that, because it counts what was forgotten, too. A script has nothing to say.
 */
export function demoEnding(report: DemoReport, { colors, width, cwd }: DemoEndingOptions): readonly string[] {
  const text = Math.min(widestText, width);
  const lines = [
    ...(report.answer === undefined || report.model === 'offline' ? [] : answerLines(report.answer, text)),
    ...testLines(report.tests, colors),
    // Without a model call there is nothing to count.
    ...(report.steps === 0 ? [] : nextLines(report, cwd, text, colors)),
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

function nextLines(report: DemoReport, cwd: string, width: number, { bold }: Colours): readonly string[] {
  const done = `${formatCount(report.steps, 'model call')}, ${formatCount(report.condensations, 'condensation')}.`;
  const next = 'So short a session saves little. What each condenser does in it, call by call:';
  // A line of its own, and not indented: it is copied, and fits 100 columns.
  return [...wrapToWidth(`${done} ${next}`, width), bold(reportCommand(report.logFile, cwd))];
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
