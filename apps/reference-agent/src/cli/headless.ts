import type { Conversation } from '@palimpsest/agent';
import { isUserMessage } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import {
  coloursFor,
  cutToWidth,
  printableLine,
  printableJson,
  printableText,
  terminalWidth,
} from '@palimpsest/terminal';
import { exitStatus, UsageError } from '../context.js';
import type { CliContext, OutputFormat, RunFlags } from '../context.js';
import { deniedPhrase } from '../output/run-failure-phrases.js';
import { SessionFigures } from '../output/figures.js';
import { formatCount, formatDollars, formatNumber, formatShare } from '../output/lines.js';
import {
  callPhrase,
  cutOffPhrase,
  printableAnswer,
  retryEvent,
  sessionPhrase,
  unpricedPhrase,
} from '../output/phrases.js';
import { RunTable } from '../output/run-table.js';
import { streamVersion } from '../output/stream-event.js';
import type { InitEvent, ResultEvent, StreamEvent, StreamEventOf } from '../output/stream-event.js';
import { StreamTranslation } from '../output/stream-translation.js';
import { openSession } from '../session/open-session.js';
import type { OpenedSession } from '../session/open-session.js';
import { pendingSummary, summaryWaitInWords } from '../session/pending-summary.js';
import { initEvent, runToEnd } from '../session/run-to-end.js';
import type { RunEnding } from '../session/run-to-end.js';
import type { ListedSession } from '../session/session.js';

/** The work of a run. */
export interface HeadlessTask {
  /** The session to go on with. @defaultValue a new one */
  readonly session?: ListedSession | undefined;
  /** The user's words. Undefined: to go on where the session ended. */
  readonly task?: string | undefined;
}

/**
 * Works on a task without a screen, and prints what is done as the flags say. Resolves to the exit status: see {@link exitStatus}.
 *
 * @throws {@link PalimpsestError} when the run cannot begin.
 */
export async function headlessRun(
  { session, task }: HeadlessTask,
  flags: RunFlags,
  context: CliContext,
): Promise<number> {
  const output = runOutput(flags.outputFormat, context);
  const opened = await openSession(session, flags, context, {
    onRetry: (failure) => output(retryEvent(failure)),
    onNote: (text) => output({ type: 'note', text }),
    onPending: waitingLine(flags, context),
  });
  try {
    const { conversation } = opened;
    if (task === undefined) assertGoesOn(conversation);
    const isResumed = session !== undefined;
    output(initEvent(opened, isResumed));
    const onDelta = (delta: Delta): void => {
      if (flags.deltas === true && delta.type === 'text') output({ type: 'delta', text: delta.text });
    };
    const { interrupts } = context;
    const result = await followedRun(opened, task, output, { interrupts, onDelta });
    output(result);
    return result.exitStatus;
  } finally {
    await opened.close();
  }
}

/**
 * Prints once, to people, the servers that the start waits for. The first line of `stream-json` is `init`, so that says
 * nothing before.
 */
function waitingLine(
  { outputFormat }: RunFlags,
  { stderr }: CliContext,
): ((names: readonly string[]) => void) | undefined {
  if (outputFormat !== 'text') return undefined;
  let isTold = false;
  return (names) => {
    if (isTold || names.length === 0) return;
    isTold = true;
    stderr.write(`${printableLine(`palimpsest: waiting for MCP servers: ${names.join(', ')}`)}\n`);
  };
}

/** @throws {@link UsageError} when there is nothing to go on with. */
function assertGoesOn({ status, id, events }: Conversation): void {
  const hasTask = events.slice().some(isUserMessage);
  if (hasTask && status !== 'finished' && status !== 'stuck') return;
  const state = hasTask ? `is ${status}` : 'has no task yet';
  throw new UsageError(`Session '${id}' ${state}. Give it a new task: palimpsest resume ${id} -p "…"`);
}

interface How extends Pick<CliContext, 'interrupts'> {
  /** Called with each piece of an answer. With it answers are streamed, and a part of one is kept if the run is interrupted. */
  readonly onDelta?: (delta: Delta) => void;
}

/** Begins, runs, reports all of it, and sums it up. */
export async function followedRun(
  opened: OpenedSession,
  task: string | undefined,
  output: RunOutput,
  how: How,
): Promise<ResultEvent> {
  const { conversation, session } = opened;
  const figures = new SessionFigures();
  const translation = new StreamTranslation(conversation.events);
  const results: StreamEventOf<'tool-result'>[] = [];
  /** Actions that could never run: cut calls, unknown tools, wrong input. */
  const unrunnable = new Set<string | undefined>();
  conversation.events.observe((event) => {
    figures.append(event);
    if (event.type === 'action' && event.executable === false) unrunnable.add(event.id);
    for (const told of translation.follow(event)) {
      if (told.type === 'tool-result' && !unrunnable.has(told.call)) results.push(told);
      output(told);
    }
  });
  await opened.begin(task);
  const { interrupts, onDelta } = how;
  const { signal } = interrupts;
  const ended = await runToEnd(opened, { signal, onDelta });
  const denied = deniedCalls(results, opened.agent.tools);
  const end: RunEnding =
    ended.status === 'done' && denied.length > 0
      ? { ...ended, status: 'denied', error: { code: 'denied', message: deniedPhrase(denied) } }
      : ended;
  // Before the result, which tells its cost.
  await pendingSummary(conversation, { signal, onWait: () => output({ type: 'note', text: summaryWaitInWords }) });
  const { usage, isEstimated, costUsd, unpriced, steps, condensations } = figures;
  const { saved, reread } = new SessionFigures(conversation.events);
  const { log, id } = session;
  return {
    type: 'result',
    version: streamVersion,
    ...end,
    exitStatus: statusOf(end.status, how),
    session: id,
    steps,
    condensations,
    usage,
    ...(isEstimated ? { usageIsEstimated: true } : {}),
    costUsd,
    ...(unpriced.length > 0 ? { unpriced } : {}),
    saved: { tokens: rounded(saved.tokens), bill: rounded(saved.bill) },
    reread: { calls: reread.calls, tokens: Math.round(reread.tokens), bill: rounded(reread.bill) },
    log,
  };
}

/** To a hundredth of a percent. */
function rounded(share: number): number {
  return Number(share.toFixed(4)) + 0;
}

function statusOf(status: ResultEvent['status'], { interrupts }: How): number {
  return status === 'interrupted' ? interrupts.exitStatus : exitStatus[status];
}

type Printed = Pick<CliContext, 'stdout' | 'stderr'>;

/** The output of a run. */
export type RunOutput = (event: StreamEvent) => void;

/** Returns the output of a format. Standard output holds the answer, or JSON, and nothing else. */
function runOutput(format: OutputFormat, printed: Printed): RunOutput {
  switch (format) {
    case 'text':
      return textOutput(printed);
    case 'json':
      return (event) => {
        if (event.type === 'result') printed.stdout.write(`${printableJson(event)}\n`);
      };
    case 'stream-json':
      return (event) => printed.stdout.write(`${printableJson(event, 0)}\n`);
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
      const [first = '', ...notes] = beginningLines(event).map(printableLine);
      // Notes are whole: they say what the user must know.
      for (const line of [colors.bold(cutToWidth(first, width)), ...notes.map(colors.yellow)]) print(line);
    } else if (event.type === 'result') {
      printer.flush();
      if (event.answer !== undefined) stdout.write(`${printableAnswer(event.answer).trimEnd()}\n`);
      for (const line of problemLines(event)) print(line);
      const { unpriced = [] } = event;
      if (unpriced.length > 0) print(colors.dim(`palimpsest: ${printableLine(unpricedPhrase(unpriced))}`));
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

/** The failure and what to do about it: whole, however wide the terminal is. */
function problemLines({ status, error, finishReason, session, waiting = [] }: ResultEvent): readonly string[] {
  // A run that got nowhere, or is done, goes on with other words only.
  const needsWords = status === 'stuck' || status === 'denied';
  const goOn = `Go on with: palimpsest resume ${session}${needsWords ? ' -p "…"' : ''}`;
  const message = printableText(error?.message ?? '');
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

/** The tool that runs commands, which may write or only look. */
const command = 'run_command';

/**
 * Returns the names of the tools whose calls were denied, if that kept a run from writing anything: each call that writes was denied, or,
 * without such calls, each command. Otherwise none.
 */
export function deniedCalls(
  results: readonly StreamEventOf<'tool-result'>[],
  tools: ReadonlyMap<string, Tool>,
): readonly string[] {
  const acting = results.filter(({ name }) => tools.get(name)?.annotations?.readOnly !== true);
  const writes = acting.filter(({ name }) => name !== command);
  const tried = writes.length > 0 ? writes : acting;
  if (!tried.every(({ status }) => status === 'denied')) return [];
  return [...new Set(tried.map(({ name }) => name))];
}
