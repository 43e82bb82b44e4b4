import type { Conversation } from '@palimpsest/agent';
import { isUserMessage } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import { onOneLine } from '@palimpsest/terminal';
import type { CommandSurroundings } from '../command-surroundings.js';
import { exitStatus } from '../exit-status.js';
import { openSession } from '../open-session.js';
import type { OpenedSession } from '../open-session.js';
import { SessionFigures } from '../output/figures.js';
import { pendingSummary, summaryWaitInWords } from '../pending-summary.js';
import type { RunFlags } from '../run-flags.js';
import type { ListedSession } from '../sessions/session-list.js';
import { UsageError } from '../usage-error.js';
import { deniedCalls } from './denied-calls.js';
import { deniedPhrase } from '../output/failure-phrases.js';
import { initEvent } from './init-event.js';
import { retryEvent } from '../output/phrases.js';
import { runToEnd } from './run-ending.js';
import type { RunEnding } from './run-ending.js';
import { runOutput } from './run-output.js';
import type { RunOutput } from './run-output.js';
import { streamVersion } from '../output/stream-event.js';
import type { ResultEvent, StreamEvent } from '../output/stream-event.js';
import { StreamTranslation } from '../output/stream-translation.js';

/** What a run is to do. */
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
  surroundings: CommandSurroundings,
): Promise<number> {
  const output = runOutput(flags.outputFormat, surroundings);
  const opened = await openSession(session, flags, surroundings, {
    onRetry: (failure) => output(retryEvent(failure)),
    mcpListener: { onNote: (text) => output({ type: 'note', text }), onPending: waitingLine(flags, surroundings) },
  });
  try {
    const { conversation } = opened;
    if (task === undefined) assertGoesOn(conversation);
    const isResumed = session !== undefined;
    output(initEvent(opened, isResumed));
    const onDelta = (delta: Delta): void => {
      if (flags.deltas === true && delta.type === 'text') output({ type: 'delta', text: delta.text });
    };
    const { interrupts } = surroundings;
    const result = await followedRun(opened, task, output, { interrupts, onDelta });
    output(result);
    return result.exitStatus;
  } finally {
    await opened.close();
  }
}

/** Tells once which servers the start waits for, to people. The first line of `stream-json` is `init`, so that says nothing before. */
function waitingLine(
  { outputFormat }: RunFlags,
  { stderr }: CommandSurroundings,
): ((names: readonly string[]) => void) | undefined {
  if (outputFormat !== 'text') return undefined;
  let isTold = false;
  return (names) => {
    if (isTold || names.length === 0) return;
    isTold = true;
    stderr.write(`${onOneLine(`palimpsest: waiting for MCP servers: ${names.join(', ')}`)}\n`);
  };
}

/** @throws {@link UsageError} when there is nothing to go on with. */
function assertGoesOn({ status, id, events }: Conversation): void {
  const hasTask = events.slice().some(isUserMessage);
  if (hasTask && status !== 'finished' && status !== 'stuck') return;
  const state = hasTask ? `is ${status}` : 'has no task yet';
  throw new UsageError(`Session '${id}' ${state}. Give it a new task: palimpsest resume ${id} -p "…"`);
}

interface How extends Pick<CommandSurroundings, 'interrupts'> {
  /** Called with each piece of an answer. With it answers are streamed, and a part of one is kept if the run is interrupted. */
  readonly onDelta: (delta: Delta) => void;
}

/** Begins, runs, tells all of it, and sums it up. */
async function followedRun(
  opened: OpenedSession,
  task: string | undefined,
  output: RunOutput,
  how: How,
): Promise<ResultEvent> {
  const { conversation, session } = opened;
  const figures = new SessionFigures();
  const translation = new StreamTranslation(conversation.events);
  const results: Extract<StreamEvent, { readonly type: 'tool-result' }>[] = [];
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
  const ended = await runToEnd(opened, { signal, onDelta, costUsd: () => figures.costUsd });
  const denied = deniedCalls(results, opened.agent.tools);
  const end: RunEnding =
    ended.status === 'done' && denied.length > 0
      ? { ...ended, status: 'denied', error: { code: 'denied', message: deniedPhrase(denied) } }
      : ended;
  // Before the result, which tells its cost.
  await pendingSummary(conversation, { signal, onWait: () => output({ type: 'note', text: summaryWaitInWords }) });
  const { usage, isEstimated, costUsd, steps, condensations } = figures;
  const { tokens, bill } = new SessionFigures(conversation.events).saved;
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
    saved: { tokens: rounded(tokens), bill: rounded(bill) },
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
