import { isUserMessage } from '@palimpsest/events';
import type { MessageEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** The `sender` of the messages that hold the workspace context. */
export const workspaceSender = 'palimpsest/workspace-context';

/** What of the context the model still sees. */
export interface VisibleContext {
  readonly hasWorkspace: boolean;
  /** The skills whose text stands in a message: name to the index in `view.events` at which it stands last. */
  readonly skills: ReadonlyMap<string, number>;
  /** The user's own words, with their indices in `view.events`. */
  readonly userMessages: readonly { readonly message: MessageEvent; readonly index: number }[];
  /** The newest words of the user, where a condensation has forgotten all of them: an agent sends them all the same. */
  readonly forgottenWords?: MessageEvent;
}

/** Reads from a view what is sent of the context; what a condensation forgot is not. Cost: one pass over the view. */
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
