import type { ActionEvent, CreateEvent, ToolResultEvent } from '@palimpsest/events';

/** The answer to an action that was not carried out, or not completely. */
export function interrupted(action: ActionEvent, reason: string, createEvent: CreateEvent): ToolResultEvent {
  return agentError(action, `Interrupted. ${reason}`, createEvent);
}

/** The answer to an action of an earlier run that may have been carried out. */
export function lostResult(action: ActionEvent, createEvent: CreateEvent): ToolResultEvent {
  const reason = 'Its result was not recorded, and it was not run again. Check what it did before you repeat it.';
  return interrupted(action, reason, createEvent);
}

/** The answer to an action whose arguments held a secret that is not known any more. */
export function lostSecret(action: ActionEvent, createEvent: CreateEvent): ToolResultEvent {
  return interrupted(action, 'Not run: the log does not keep the secret in its arguments. Call it again.', createEvent);
}

/** The answer to an action behind the finish. */
export function endedBefore(action: ActionEvent, createEvent: CreateEvent): ToolResultEvent {
  return agentError(action, 'Not run: an earlier call of the same response ended the work.', createEvent);
}

/** The answer to an action that the framework could not carry out. */
export function agentError(action: ActionEvent, error: string, createEvent: CreateEvent): ToolResultEvent {
  return createEvent('agent-error', { ...addressOf(action), error });
}

/** The answer to an action that the user rejected, or a hook on the user's behalf. */
export function rejected(
  action: ActionEvent,
  { reason, source }: { readonly reason: string; readonly source: 'user' | 'hook' },
  createEvent: CreateEvent,
): ToolResultEvent {
  return createEvent('user-reject-observation', {
    ...addressOf(action),
    rejectionReason: reason.trim() || 'No reason was given.',
    rejectionSource: source,
  });
}

/** The fields with which a result names its call. */
export function addressOf(action: ActionEvent) {
  return { toolName: action.toolCall.name, toolCallId: action.toolCall.id, actionId: action.id };
}
