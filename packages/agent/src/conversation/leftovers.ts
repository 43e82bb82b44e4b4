import type { Agent } from '../agent.js';
import { lostResult, lostSecret } from '../tools/call-answers.js';
import type { ConversationLog } from './conversation-log.js';

/**
 * Answers the actions that an earlier run left without a result. An action may have been carried out before the process died, so
 * it is answered as lost, unless it is safe to run it now: its tool is repeatable, or it was confirmed and has not begun. While
 * an action waits for confirmation, nothing is answered.
 */
export async function answerLeftovers(agent: Agent, log: ConversationLog): Promise<void> {
  const { tools, createEvent } = agent;
  const { pendingActions, releasedActions } = log.state;
  if (agent.unconfirmed(pendingActions, log.state).length > 0) return;
  const answers = pendingActions.flatMap((action) => {
    if (log.lacksSecrets(action)) return [lostSecret(action, createEvent)];
    const isRepeatable =
      action.executable !== false && tools.get(action.toolCall.name)?.annotations?.repeatable === true;
    return isRepeatable || releasedActions.has(action.id) ? [] : [lostResult(action, createEvent)];
  });
  await log.append(answers);
}
