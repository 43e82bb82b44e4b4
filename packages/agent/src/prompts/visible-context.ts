import { isUserMessage } from '@palimpsest/events';
import type { MessageEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** The `sender` of the messages that hold the workspace context. */
export const workspaceSender = 'palimpsest/workspace-context';

/** The parts of the workspace context that the model still sees. */
export interface VisibleContext {
  readonly hasWorkspace: boolean;
  /** The skills whose text is in a message: maps the name to the index in `view.events` of its last occurrence. */
  readonly skills: ReadonlyMap<string, number>;
  /** The user's messages, with their indices in `view.events`. */
  readonly userMessages: readonly { readonly message: MessageEvent; readonly index: number }[];
  /** The newest user message, if a condensation has forgotten all user messages: an agent sends it anyway. */
  readonly forgottenWords?: MessageEvent;
}

/** Reads from a view the parts of the context that are sent; forgotten parts are not. Cost: one pass over the view. */
export function visibleContext(view: View): VisibleContext {
  const skills = new Map<string, number>();
  const userMessages: { readonly message: MessageEvent; readonly index: number }[] = [];
  let hasWorkspace = false;
  let index = -1;
  for (const event of view.events) {
    index++;
    if (event.type !== 'message' || view.leftOut.has(event.id)) continue;
    if (isUserMessage(event)) userMessages.push({ message: event, index });
    hasWorkspace ||= event.sender === workspaceSender && event.content.length > 0;
    for (const name of event.activatedSkills ?? []) skills.set(name, index);
  }
  const forgottenWords = userMessages.length === 0 ? newestForgottenWords(view) : undefined;
  return { hasWorkspace, skills, userMessages, forgottenWords };
}

function newestForgottenWords(view: View): MessageEvent | undefined {
  for (const { forgottenEventIds } of view.condensations.toReversed()) {
    for (const id of forgottenEventIds.toReversed()) {
      const event = view.original(id);
      if (event !== undefined && isUserMessage(event)) return event;
    }
  }
  return undefined;
}
