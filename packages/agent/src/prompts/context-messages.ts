import { createEvent as createDefaultEvent } from '@palimpsest/events';
import type { CreateEvent, MessageEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { PromptManager, WorkspaceContext } from './prompts.js';
import type { Skill } from './skill.js';
import {
  daySender,
  forgottenLoads,
  loadedSkillsSender,
  matchSkills,
  namesInSkillList,
  skillListLines,
  skillListSender,
  visibleContext,
  workspaceSender,
} from './skills-in-view.js';
import type { TriggeredSkill, VisibleContext } from './skills-in-view.js';

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
 * Returns the messages to append so that the model sees the workspace context, the skills that are always on, those that the
 * user's messages call for, the list of the skills that it can load, and the texts of those that it loaded: none if the view
 * already holds all of it, and at most one for context, one for the list and one for loaded skills. A pure function of the view.
 * Call it after a message of the user and after a condensation. Forgotten parts are shown again. What the user's messages call
 * for is shown as long as the view holds one that does. Of the skills that the model loaded, the last three, each at most twice.
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

  const day = newDay(options, visible);
  const parts = [example, context, day].filter((text) => text !== '').map(textPart);
  const activated = [...alwaysOn, ...triggered.map(({ skill }) => skill)].map(({ name }) => name);
  const base = { source: 'environment', role: 'user' } as const;
  const messages: MessageEvent[] = [];
  if (parts.length > 0 || knowledge !== '') {
    messages.push(
      createEvent('message', {
        ...base,
        content: parts,
        // Later instructions do not replace the workspace part if it is forgotten.
        ...(parts.length > 0 && !visible.hasWorkspace ? { sender: workspaceSender } : {}),
        ...(day === '' ? {} : { sender: daySender }),
        ...(knowledge === '' ? {} : { extendedContent: [textPart(knowledge)] }),
        ...(activated.length === 0 ? {} : { activatedSkills: activated }),
      }),
    );
  }
  const list = newList(prompts, skills, visible);
  if (list !== '')
    messages.push(createEvent('message', { ...base, sender: skillListSender, content: [textPart(list)] }));
  const loaded = loadedAgain(view, skills, { has: (name) => visible.skills.has(name) || activated.includes(name) });
  if (loaded.length > 0) {
    messages.push(
      createEvent('message', {
        ...base,
        sender: loadedSkillsSender,
        content: [textPart(prompts.loadedSkills(loaded))],
        activatedSkills: loaded.map(({ name }) => name),
      }),
    );
  }
  return messages;
}

/** Returns the list of skills, unless the model sees one with the same names. */
function newList(prompts: PromptManager, skills: readonly Skill[], { listedSkills }: VisibleContext): string {
  const lines = skillListLines(skills);
  if (lines.length === 0) return '';
  const list = prompts.skillList(lines);
  const names = namesInSkillList(list);
  const isSeen = listedSkills?.size === names.size && [...names].every((name) => listedSkills.has(name));
  return isSeen ? '' : list;
}

/** Returns the date, if the model sees another: a conversation that goes on another day. */
function newDay({ prompts, workspace }: ContextOptions, { hasWorkspace, workspaceTexts }: VisibleContext): string {
  const date = workspace?.runtime?.date ?? '';
  if (date === '' || !hasWorkspace || workspaceTexts.some((text) => text.includes(date))) return '';
  const told = prompts.workspaceContext({ runtime: { date } });
  return told.includes(date) ? told : '';
}

/** The texts of the skills that the model loaded to show again are together no longer than one. Unit: characters. */
const maxLoadedCharacters = 32_000;

function loadedAgain(view: View, skills: readonly Skill[], visible: { has(name: string): boolean }): readonly Skill[] {
  let characters = 0;
  return forgottenLoads(view, visible)
    .flatMap((name) => skills.find((skill) => skill.name === name) ?? [])
    .filter(({ content }, index) => (characters += content.length) <= maxLoadedCharacters || index === 0);
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
 * Returns the skills that the user's messages call for and the model does not see. Every message that names a task triggers it
 * again, because the inputs differ. A keyword skill is shown only once.
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
