import { createEvent as createDefaultEvent } from '@palimpsest/events';
import type { CreateEvent, MessageEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { PromptManager } from './prompt-manager.js';
import { matchSkills } from './skill-match.js';
import type { TriggeredSkill } from './skill-match.js';
import type { Skill } from './skill.js';
import { visibleContext, workspaceSender } from './visible-context.js';
import type { VisibleContext } from './visible-context.js';
import type { WorkspaceContext } from './workspace-context.js';

/** Options of {@link contextMessages}. */
export interface ContextOptions {
  readonly prompts: PromptManager;
  /** @defaultValue nothing is known */
  readonly workspace?: WorkspaceContext;
  /** In order of precedence, the weakest first. Of two skills with the same name the later counts. @defaultValue none */
  readonly skills?: readonly Skill[];
  /** Names of skills that are not shown. @defaultValue none */
  readonly disabledSkills?: readonly string[];
  readonly createEvent?: CreateEvent;
}

/**
 * The messages to append so that the model sees the workspace context, the skills that are always on, and those that the user's
 * messages call for: one message, or none if the view already holds all of it. A pure function of the view. Call it after a
 * message of the user and after a condensation: forgotten parts are shown again, as long as the view holds a message that calls
 * for them.
 *
 * @throws `PromptTemplateError` when a template uses a variable that is not defined.
 */
export function contextMessages(view: View, options: ContextOptions): readonly MessageEvent[] {
  const { prompts, workspace = {}, createEvent = createDefaultEvent } = options;
  const skills = enabled(options);
  const visible = visibleContext(view);
  if (visible.userMessages.length === 0 && visible.forgottenWords === undefined) return [];

  const alwaysOn = skills.filter(({ kind, name }) => kind === 'always' && !visible.skills.has(name));
  const instructions = alwaysOn.map(({ name, content }) => `[${name}]\n${content}`).join('\n\n');
  const example = visible.hasWorkspace ? '' : prompts.userPrompt();
  const context = prompts.workspaceContext(visible.hasWorkspace ? {} : workspace, instructions);
  const triggered = calledFor(visible, skills);
  const knowledge = prompts.skillInfo(triggered);

  const content = [example, context].filter((text) => text !== '').map(textPart);
  if (content.length === 0 && knowledge === '') return [];
  const activated = [...alwaysOn, ...triggered.map(({ skill }) => skill)].map(({ name }) => name);
  return [
    createEvent('message', {
      source: 'environment',
      role: 'user',
      content,
      // Later instructions do not replace the workspace part if it is forgotten.
      ...(content.length === 0 || visible.hasWorkspace ? {} : { sender: workspaceSender }),
      ...(knowledge === '' ? {} : { extendedContent: [textPart(knowledge)] }),
      ...(activated.length === 0 ? {} : { activatedSkills: activated }),
    }),
  ];
}

function enabled({ skills = [], disabledSkills = [] }: ContextOptions): readonly Skill[] {
  const byName = new Map<string, Skill>();
  for (const skill of skills) {
    // Deleted and set again, so that the overriding skill also takes its own position in the order.
    byName.delete(skill.name);
    byName.set(skill.name, skill);
  }
  return [...byName.values()].filter(({ name }) => !disabledSkills.includes(name));
}

/**
 * The skills that the user's messages call for and the model does not see. Every message that names a task triggers it again,
 * because the inputs differ; a keyword skill is shown only once.
 */
function calledFor(
  { userMessages, forgottenWords, skills: shown }: VisibleContext,
  skills: readonly Skill[],
): readonly TriggeredSkill[] {
  const found = new Map<string, TriggeredSkill>();
  const forgotten = forgottenWords === undefined ? [] : [{ message: forgottenWords, index: -1 }];
  for (const { message, index } of [...forgotten, ...userMessages]) {
    const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    for (const triggered of matchSkills(text, skills)) {
      const { name, kind } = triggered.skill;
      const shownAt = shown.get(name);
      if (shownAt === undefined || (kind === 'task' && shownAt < index)) found.set(name, triggered);
    }
  }
  return [...found.values()];
}

function textPart(text: string): { type: 'text'; text: string } {
  return { type: 'text', text };
}
