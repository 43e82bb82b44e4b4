import { coloursFor, cutToWidth, shownJson, shownLines } from '@palimpsest/terminal';
import type { CommandSurroundings } from '../command-surroundings.js';
import { StepLines } from './step-lines.js';
import type { ResultEvent, StreamEvent } from './stream-event.js';

/** The values of `--output-format`. */
export const outputFormats = ['text', 'json', 'stream-json'] as const;
/** A value of `--output-format`. */
export type OutputFormat = (typeof outputFormats)[number];

type Printed = Pick<CommandSurroundings, 'stdout' | 'stderr'>;

/** Prints what is told of a run. */
export type RunOutput = (event: StreamEvent) => void;

/** The output of a format. Standard output holds the answer, or JSON, and nothing else. */
export function runOutput(format: OutputFormat, printed: Printed): RunOutput {
  switch (format) {
    case 'text':
      return textOutput(printed);
    case 'json':
      return (event) => {
        if (event.type === 'result') printed.stdout.write(`${shownJson(event)}\n`);
      };
    case 'stream-json':
      return (event) => printed.stdout.write(`${shownJson(event, 0)}\n`);
  }
}

/** The widest line where nobody says how wide the terminal is. Unit: columns. */
const usualWidth = 160;

function textOutput({ stdout, stderr }: Printed): RunOutput {
  const lines = new StepLines();
  const { bold, dim, magenta, yellow, red } = coloursFor(stderr);
  const colours = { bold, dim, plain: String, condensation: magenta, warning: yellow, failure: red };
  return (event) => {
    const width = stderr.columns ?? usualWidth;
    if (event.type === 'result') {
      if (event.answer !== undefined) stdout.write(`${shownAnswer(event.answer)}\n`);
      for (const line of problemLines(event)) stderr.write(`${line}\n`);
    }
    for (const { text, tone } of lines.follow(event)) stderr.write(`${colours[tone](cutToWidth(text, width))}\n`);
  };
}

/** Tabs are no danger to a terminal, and part of what an answer quotes. */
function shownAnswer(text: string): string {
  return text.split('\t').map(shownLines).join('\t').trimEnd();
}

/** What went wrong, and what to do: whole, however wide the terminal is. */
function problemLines({ status, error, session, waiting = [] }: ResultEvent): readonly string[] {
  const goOn = `Go on with: palimpsest resume ${session}`;
  const message = shownLines(error?.message ?? '');
  switch (status) {
    case 'done':
      return [];
    case 'interrupted':
      return [`palimpsest: interrupted. ${goOn}`];
    case 'waiting':
      return [
        `palimpsest: ${waiting.length} ${waiting.length === 1 ? 'call waits' : 'calls wait'} for a yes: ` +
          `palimpsest approve ${session}, or palimpsest deny ${session}`,
      ];
    default:
      return [`palimpsest: ${message}`, goOn];
  }
}
