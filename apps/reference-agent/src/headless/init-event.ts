import { ConversationStateProjection } from '@palimpsest/agent';
import type { OpenedSession } from '../open-session.js';
import { streamVersion } from '../output/stream-event.js';
import type { InitEvent } from '../output/stream-event.js';

/** What is told of a session when it is open. */
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
