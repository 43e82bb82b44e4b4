import { coloursFor, cutToWidth, onOneLine, shownJson, shownLines, terminalWidth } from '@palimpsest/terminal';
import type { CommandSurroundings } from '../command-surroundings.js';
import { callPhrase, cutOffPhrase, printableAnswer, sessionPhrase } from '../output/phrases.js';
import { RunTable } from '../output/run-table.js';
import { formatCount, formatDollars, formatNumber, formatShare } from '../output/lines.js';
import type { InitEvent, ResultEvent, StreamEvent } from '../output/stream-event.js';

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

/** The width of lines that no terminal shows. Unit: columns. */
const widthOfFiles = 160;

function textOutput({ stdout, stderr }: Printed): RunOutput {
  const colors = coloursFor(stderr);
  const width = terminalWidth(stderr, widthOfFiles);
  const print = (line: string): void => void stderr.write(`${line}\n`);
  const printer = new RunTable({ print, colors, width });
  return (event) => {
    printer.follow(event);
    if (event.type === 'init') {
      const [first = '', ...notes] = beginningLines(event).map(onOneLine);
      // Notes are whole: they say what the user must know.
      for (const line of [colors.bold(cutToWidth(first, width)), ...notes.map(colors.yellow)]) print(line);
    } else if (event.type === 'result') {
      printer.flush();
      if (event.answer !== undefined) stdout.write(`${printableAnswer(event.answer).trimEnd()}\n`);
      for (const line of problemLines(event)) print(line);
      print(colors.dim(cutToWidth(endWords(event), width)));
    }
  };
}

function beginningLines(init: InitEvent): readonly string[] {
  return [
    `palimpsest: ${sessionPhrase(init)}`,
    ...init.notes.map((note) => `! ${note}`),
    ...init.cutOff.map((call) => `! ${cutOffPhrase(call)}`),
  ];
}

function endWords({ status, session, steps, usage, usageIsEstimated, costUsd, saved }: ResultEvent): string {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const input = uncachedInputTokens + cacheReadTokens + cacheWriteTokens;
  const parts = [
    formatCount(steps, 'model call'),
    `${usageIsEstimated === true ? 'about ' : ''}${formatNumber(input)} tokens in, ${formatNumber(outputTokens)} out`,
    ...(costUsd === undefined || costUsd === 0 ? [] : [formatDollars(costUsd)]),
    ...(saved.bill === 0 ? [] : [`condensing saved ${formatShare(saved.bill)} of the bill`]),
  ];
  return `palimpsest: ${status}: ${parts.join(' · ')} · session ${session}`;
}

/** What went wrong, and what to do: whole, however wide the terminal is. */
function problemLines({ status, error, finishReason, session, waiting = [] }: ResultEvent): readonly string[] {
  // A run that got nowhere, or is done, goes on with other words only.
  const needsWords = status === 'stuck' || status === 'denied';
  const goOn = `Go on with: palimpsest resume ${session}${needsWords ? ' -p "…"' : ''}`;
  const message = shownLines(error?.message ?? '');
  switch (status) {
    case 'done':
      return finishReason === undefined
        ? []
        : [`palimpsest: the provider ended the answer for a reason of its own (${finishReason}); it may not be whole.`];
    case 'interrupted':
      return [`palimpsest: interrupted. ${goOn}`];
    case 'waiting':
      return [
        `palimpsest: ${waiting.length} ${waiting.length === 1 ? 'call waits' : 'calls wait'} for a yes: ` +
          `palimpsest approve ${session}, or palimpsest deny ${session}`,
        ...waiting.map((waitingCall) => `  ${callPhrase(waitingCall)}`),
      ];
    default:
      return [`palimpsest: ${message}`, goOn];
  }
}
