import { isUserMessage } from '@palimpsest/events';
import type { MessageEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { loadedSkillOf } from './loaded-skills.js';
import { namesInSkillList } from './skill-list.js';

/** The `sender` of the messages that hold the workspace context. */
export const workspaceSender = 'palimpsest/workspace-context';

/** The `sender` of the messages that hold the list of skills. */
export const skillListSender = 'palimpsest/skill-list';

/** The `sender` of the messages that tell a new date. */
export const daySender = 'palimpsest/day';

/** The parts of the workspace context that the model still sees. */
export interface VisibleContext {
  readonly hasWorkspace: boolean;
  /** The skills whose text is in a message or was loaded by a tool: maps the name to the index in `view.events` of its last occurrence. */
  readonly skills: ReadonlyMap<string, number>;
  /** The names in the newest list of skills; undefined if the model sees no list. */
  readonly listedSkills?: ReadonlySet<string>;
  /** The texts of the messages that hold the workspace context or a new date. */
  readonly workspaceTexts: readonly string[];
  /** The user's messages, with their indices in `view.events`. */
  readonly userMessages: readonly { readonly message: MessageEvent; readonly index: number }[];
  /** The newest user message, if a condensation has forgotten all user messages: an agent sends it anyway. */
  readonly forgottenWords?: MessageEvent;
}

/** Reads from a view the parts of the context that are sent; forgotten parts are not. Cost: one pass over the view. */
export function visibleContext(view: View): VisibleContext {
  const skills = new Map<string, number>();
  const userMessages: { readonly message: MessageEvent; readonly index: number }[] = [];
  const workspaceTexts: string[] = [];
  let listedSkills: ReadonlySet<string> | undefined;
  let hasWorkspace = false;
  let index = -1;
  for (const event of view.events) {
    index++;
    if (view.leftOut.has(event.id)) continue;
    const loaded = loadedSkillOf(event);
    if (loaded !== undefined) skills.set(loaded, index);
    if (event.type !== 'message') continue;
    if (isUserMessage(event)) userMessages.push({ message: event, index });
    hasWorkspace ||= event.sender === workspaceSender && event.content.length > 0;
    if (event.sender === workspaceSender || event.sender === daySender) workspaceTexts.push(textOf(event));
    if (event.sender === skillListSender) listedSkills = namesInSkillList(textOf(event));
    for (const name of event.activatedSkills ?? []) skills.set(name, index);
  }
  const forgottenWords = userMessages.length === 0 ? newestForgottenWords(view) : undefined;
  return { hasWorkspace, skills, listedSkills, workspaceTexts, userMessages, forgottenWords };
}

function textOf({ content }: MessageEvent): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
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
