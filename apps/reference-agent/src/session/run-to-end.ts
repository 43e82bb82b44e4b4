import { ConversationRunError, ConversationStateProjection, LimitExceededError } from '@palimpsest/agent';
import type { Conversation, RunOptions, RunOutcome } from '@palimpsest/agent';
import { ContentPolicyError } from '@palimpsest/llm-adapters';
import { SessionFigures } from '../output/figures.js';
import { streamVersion } from '../output/stream-event.js';
import type { InitEvent, ResultEvent } from '../output/stream-event.js';
import type { OpenedSession } from './open-session.js';
import { failurePhrase, incompletePhrase, stuckPhrase } from '../output/run-failure-phrases.js';

/** The end of a run. */
export type RunEnding = Pick<ResultEvent, 'status' | 'answer' | 'finishReason' | 'error' | 'waiting'>;

/** Runs the conversation, and says how that ended. @throws what is no failure of the run, such as a `ConversationBusyError`. */
export async function runToEnd(
  { conversation, baseUrl, agent, model }: OpenedSession,
  options: Pick<RunOptions, 'signal' | 'onDelta'>,
): Promise<RunEnding> {
  const before = conversation.events.length;
  try {
    return endingOf(await conversation.run(options));
  } catch (error) {
    if (!ConversationRunError.isInstance(error)) throw error;
    const { cause } = error;
    const status = LimitExceededError.isInstance(cause)
      ? 'limit'
      : ContentPolicyError.isInstance(cause)
        ? 'refused'
        : 'error';
    const { code, message } = failureIn(conversation) ?? error;
    const unknownModel = agent.llm.facts?.isAssumed === true ? model : undefined;
    const { costUsd } = new SessionFigures(conversation.events.slice(before));
    const words = failurePhrase(message, cause, { baseUrl, costUsd, unknownModel });
    return { status, error: { code, message: words } };
  }
}

function endingOf({ status, answer, finishReason, stuck, waiting = [] }: RunOutcome): RunEnding {
  switch (status) {
    case 'finished':
      return { status: 'done', answer, finishReason };
    case 'incomplete':
      return { status, finishReason, error: { code: 'incomplete', message: incompletePhrase(finishReason) } };
    case 'stuck':
      return { status, error: { code: 'stuck', message: stuckPhrase(stuck) } };
    case 'paused':
    case 'released':
      return { status: 'interrupted' };
    case 'waiting-for-confirmation': {
      const calls = waiting.map(({ toolCall: { name, arguments: json } }) => ({ name, arguments: json }));
      return { status: 'waiting', waiting: calls };
    }
  }
}

/** The failure of the run, as the log has it: without secrets. */
function failureIn({ events }: Conversation): ResultEvent['error'] {
  const last = events.slice().findLast((event) => event.type === 'conversation-error');
  return last === undefined ? undefined : { code: last.code, message: last.detail };
}

/** Returns the first line of `stream-json`, which describes the open session. */
export function initEvent(
  { session, conversation, workspace, model, tools, notes }: OpenedSession,
  isResumed: boolean,
): InitEvent {
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
  };
}
