import type { Agent } from '../agent.js';
import { lostResult, lostSecret } from '../tools/call-answers.js';
import type { ConversationLog } from './conversation-log.js';

/**
 * Answers the actions that an earlier run left without a result. An action may have been carried out before the process died, so
 * it is answered as lost, unless it is safe to run it now: its tool is repeatable, or it has not begun, because it waited for a
 * confirmation. While an action waits for confirmation, nothing is answered.
 *
 * @param haveWaited - the earlier run ended because an action waited: nothing of its response has begun, and if the policy asks no
 *   longer, its hooks decide
 */
export async function answerLeftovers(agent: Agent, log: ConversationLog, haveWaited: boolean): Promise<void> {
  const { tools, createEvent } = agent;
  const { pendingActions, releasedActions, confirmedActions } = log.state;
  if (agent.unconfirmed(pendingActions, log.state).length > 0) return;
  // What was confirmed has a record of its own of what has begun.
  const areNew = haveWaited && !pendingActions.some(({ id }) => confirmedActions.has(id));
  const answers = pendingActions.flatMap((action) => {
    if (log.lacksSecrets(action)) return [lostSecret(action, createEvent)];
    const isRepeatable =
      action.executable !== false && tools.get(action.toolCall.name)?.annotations?.repeatable === true;
    return areNew || isRepeatable || releasedActions.has(action.id) ? [] : [lostResult(action, createEvent)];
  });
  await log.append(answers);
}
