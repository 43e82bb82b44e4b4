import { coloursFor, cutToWidth, onOneLine, shownJson, shownLines, terminalWidth } from '@palimpsest/terminal';
import type { CliContext, OutputFormat } from '../context.js';
import { callInWords } from '../output/call-words.js';
import { shownAnswer } from '../output/shown-answer.js';
import { RunPrinter } from '../output/run-printer.js';
import { shownNumber } from '../output/shown-number.js';
import type { InitEvent, ResultEvent, StreamEvent } from './stream-event.js';

type Printed = Pick<CliContext, 'stdout' | 'stderr'>;

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
  const printer = new RunPrinter({ print, colors, width });
  return (event) => {
    printer.follow(event);
    if (event.type === 'init') {
      const [first = '', ...notes] = beginningLines(event).map(onOneLine);
      // Notes are whole: they say what the user must know.
      for (const line of [colors.bold(cutToWidth(first, width)), ...notes.map(colors.yellow)]) print(line);
    } else if (event.type === 'result') {
      printer.flush();
      if (event.answer !== undefined) stdout.write(`${shownAnswer(event.answer).trimEnd()}\n`);
      for (const line of problemLines(event)) print(line);
      print(colors.dim(cutToWidth(endWords(event), width)));
    }
  };
}

function beginningLines({ session, model, workspace, isResumed, cutOff, notes }: InitEvent): readonly string[] {
  const what = `session ${session}${isResumed ? ' goes on' : ''}`;
  return [
    `palimpsest: ${what}: ${model} in ${workspace}`,
    ...notes.map((note) => `! ${note}`),
    ...cutOff.map((call) => `! was cut off; what it did is not known: ${callInWords(call)}`),
  ];
}

function endWords({ status, session, steps, usage, usageIsEstimated, costUsd, saved }: ResultEvent): string {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const input = uncachedInputTokens + cacheReadTokens + cacheWriteTokens;
  const parts = [
    `${steps} model ${steps === 1 ? 'call' : 'calls'}`,
    `${usageIsEstimated === true ? 'about ' : ''}${shownNumber(input)} tokens in, ${shownNumber(outputTokens)} out`,
    ...(costUsd === undefined || costUsd === 0 ? [] : [`$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`]),
    ...(saved.bill === 0 ? [] : [`condensing saved ${(saved.bill * 100).toFixed(0)} % of the bill`]),
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
        ...waiting.map((waitingCall) => `  ${callInWords(waitingCall)}`),
      ];
    default:
      return [`palimpsest: ${message}`, goOn];
  }
}
