import { ConversationRunError, ConversationStateProjection, LimitExceededError } from '@palimpsest/agent';
import type { Conversation, RunOutcome } from '@palimpsest/agent';
import { isUserMessage } from '@palimpsest/events';
import { ContentPolicyError } from '@palimpsest/llm-adapters';
import type { Delta } from '@palimpsest/llm-adapters';
import type { CommandSurroundings } from '../command-surroundings.js';
import { exitStatus } from '../exit-status.js';
import { openSession } from '../open-session.js';
import type { OpenedSession } from '../open-session.js';
import { accountOf, savedShares } from '../run-account.js';
import type { RunFlags } from '../run-flags.js';
import type { ListedSession } from '../sessions/session-list.js';
import { UsageError } from '../usage-error.js';
import { failureInWords, stuckInWords } from './failure.js';
import { runOutput } from './run-output.js';
import type { RunOutput } from './run-output.js';
import { noTotals, withEvent } from './run-totals.js';
import { streamVersion } from './stream-event.js';
import type { ResultEvent } from './stream-event.js';
import { StreamTranslation } from './stream-translation.js';

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
  const opened = await openSession(session, flags, surroundings, ({ error, ...retry }) =>
    output({ type: 'retry', ...retry, error: error.message }),
  );
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

/** @throws {@link UsageError} when there is nothing to go on with. */
function assertGoesOn({ status, id, events }: Conversation): void {
  const hasTask = events.slice().some(isUserMessage);
  if (hasTask && status !== 'finished' && status !== 'stuck') return;
  const state = hasTask ? `is ${status}` : 'has no task yet';
  throw new UsageError(`Session '${id}' ${state}. Give it a new task: palimpsest resume ${id} -p "…"`);
}

function initEvent({ session, conversation, workspace, model, tools, notes }: OpenedSession, isResumed: boolean) {
  const { pendingActions, releasedActions } = ConversationStateProjection.fromEvents(conversation.events);
  // What waits for a yes, or has got one and was not gone on with, has not begun.
  const isWaiting = conversation.status === 'waiting-for-confirmation' || conversation.waitingActions.length > 0;
  const cutOff = isWaiting ? [] : pendingActions.filter(({ id }) => !releasedActions.has(id));
  return {
    type: 'init',
    version: streamVersion,
    session: session.id,
    isResumed,
    workspace: workspace.root,
    model,
    log: session.log,
    tools: [...tools],
    notes: [...notes],
    cutOff: cutOff.map(({ toolCall: { name, arguments: json } }) => ({ name, arguments: json })),
  } as const;
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
  let totals = noTotals;
  const translation = new StreamTranslation(conversation.events);
  conversation.events.observe((event) => {
    totals = withEvent(totals, event);
    for (const told of translation.follow(event)) output(told);
  });
  await opened.begin(task);
  const end = await endOf(opened, how, () => totals.costUsd);
  const { usage, costUsd, steps, condensations } = totals;
  const { tokens, bill } = savedShares(accountOf(conversation.events));
  const { log, id } = session;
  return {
    type: 'result',
    version: streamVersion,
    ...end,
    session: id,
    steps,
    condensations,
    usage,
    costUsd,
    saved: { tokens: rounded(tokens), bill: rounded(bill) },
    log,
  };
}

/** To a hundredth of a percent. */
function rounded(share: number): number {
  return Number(share.toFixed(4)) + 0;
}

type Ending = Pick<ResultEvent, 'status' | 'exitStatus' | 'answer' | 'error' | 'waiting'>;

async function endOf(
  { conversation, baseUrl }: OpenedSession,
  { interrupts, onDelta }: How,
  costUsd: () => number | undefined,
): Promise<Ending> {
  try {
    const outcome = await conversation.run({ signal: interrupts.signal, onDelta });
    return endingOf(outcome, interrupts.exitStatus);
  } catch (error) {
    if (!ConversationRunError.isInstance(error)) throw error;
    const { cause } = error;
    const status = LimitExceededError.isInstance(cause)
      ? 'limit'
      : ContentPolicyError.isInstance(cause)
        ? 'refused'
        : 'error';
    const { code, message } = failureIn(conversation) ?? error;
    const words = failureInWords(message, cause, { baseUrl, costUsd: costUsd() });
    return { status, exitStatus: exitStatus[status], error: { code, message: words } };
  }
}

function endingOf({ status, answer, stuck, waiting = [] }: RunOutcome, interruptedStatus: number): Ending {
  switch (status) {
    case 'finished':
      return { status: 'done', exitStatus: exitStatus.done, answer };
    case 'stuck': {
      return { status, exitStatus: exitStatus.stuck, error: { code: 'stuck', message: stuckInWords(stuck) } };
    }
    case 'paused':
      return { status: 'interrupted', exitStatus: interruptedStatus };
    case 'waiting-for-confirmation': {
      const calls = waiting.map(({ toolCall: { name, arguments: json } }) => ({ name, arguments: json }));
      return { status: 'waiting', exitStatus: exitStatus.waiting, waiting: calls };
    }
  }
}

/** Why the run failed, as the log has it: without secrets. */
function failureIn({ events }: Conversation): ResultEvent['error'] {
  const last = events.slice().findLast((event) => event.type === 'conversation-error');
  return last === undefined ? undefined : { code: last.code, message: last.detail };
}
