import { isUserMessage, sliceText } from '@palimpsest/events';
import type { Event, EventId, MessageEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { Skill } from './skill.js';

/** A skill that a user message called for. */
export interface TriggeredSkill {
  readonly skill: Skill;
  /** The trigger, as written in the skill. */
  readonly trigger: string;
  /** The text for the model: the skill's text, with the inputs of a task filled in. */
  readonly content: string;
}

/**
 * Returns the skills that a text triggers, in the order of the skills, each once.
 *
 * A trigger matches without regard to case and width of white space, and only as whole words: if it begins or ends with a
 * letter, digit or underscore, none of these may be next to it (`git` does not match `digit`), except letters of Korean and of
 * scripts without spaces. A trigger that begins with `/` is a command: it must follow white space or the beginning of the text,
 * and be followed by white space, punctuation or the end, so that paths and addresses do not match. Unlike OpenHands, it does
 * not match parts of words.
 */
export function matchSkills(text: string, skills: readonly Skill[]): readonly TriggeredSkill[] {
  const composed = text.normalize();
  return skills.flatMap((skill) => {
    for (const trigger of skill.triggers) {
      const match = matchOf(trigger.trim(), text, composed);
      if (match === null) continue;
      const rest = match.input.slice(match.index + match[0].length).split('\n', 1)[0] ?? '';
      return [{ skill, trigger, content: skill.kind === 'task' ? taskContent(skill, rest) : skill.content }];
    }
    return [];
  });
}

/** Scripts that put no space between words, and Korean, whose particles are attached to the word. */
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const word = String.raw`(?:(?!${unspaced})[\p{L}\p{M}\p{N}_])`;
/** Made for the first trigger: the engine needs milliseconds for these sets of letters. */
let ends: { readonly startsWithWord: RegExp; readonly endsWithWord: RegExp } | undefined;

/**
 * Matches the text as written, then in composed form: an accented letter can be one or two characters. If the first match
 * succeeds, values for a task's text stay as the user wrote them.
 */
function matchOf(trigger: string, text: string, composed: string): RegExpExecArray | null {
  if (trigger === '') return null;
  const isComposed = composed === text && trigger === trigger.normalize();
  return patternOf(trigger).exec(text) ?? (isComposed ? null : patternOf(trigger.normalize()).exec(composed));
}

function patternOf(trigger: string): RegExp {
  const wanted = trigger
    .split(/\s+/)
    .map(escaped)
    .join(String.raw`\s+`);
  if (trigger.startsWith('/')) {
    return new RegExp(String.raw`(?<!\S)${wanted}(?=$|\s|[.,;:!?)](?:\s|$))`, 'iu');
  }
  ends ??= { startsWithWord: new RegExp(`^${word}`, 'u'), endsWithWord: new RegExp(`${word}$`, 'u') };
  const before = ends.startsWithWord.test(trigger) ? `(?<!${word})` : '';
  // A combining accent belongs to the letter before it.
  const after = ends.endsWithWord.test(trigger) ? String.raw`(?!${word}|\p{M})` : '';
  return new RegExp(before + wanted + after, 'iu');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

const assignment = /(?<!\S)([\w-]+)=(?:"([^"]*)"|'([^']*)'|(\S+))/g;
const placeholder = /\$\{([\w-]+)\}/g;

/**
 * A task's text with its `${name}` placeholders filled from `name=value` pairs behind the command. Values are inserted
 * unchanged. For missing inputs the text tells the model to ask.
 */
function taskContent(skill: Skill, commandLine: string): string {
  const given = new Map(
    [...commandLine.matchAll(assignment)].map((match) => [match[1], match[2] ?? match[3] ?? match[4] ?? '']),
  );
  const placeholders = [...skill.content.matchAll(placeholder)].map((match) => match[1] ?? '');
  const names = new Set([...skill.inputs.map(({ name }) => name), ...placeholders]);
  const content = skill.content.replace(placeholder, (whole, name: string) => given.get(name) ?? whole);
  const unused = skill.inputs.filter(({ name }) => given.has(name) && !placeholders.includes(name));
  const missing = [...names].filter((name) => !given.has(name));
  return [
    content,
    ...(unused.length === 0 ? [] : [`Given:\n${unused.map(({ name }) => `- ${name}: ${given.get(name)}`).join('\n')}`]),
    ...(missing.length === 0
      ? []
      : [
          'The user may have said these in other words. If not, ask for them before you begin:\n' +
            missing.map((name) => inputLine(skill, name)).join('\n'),
        ]),
  ].join('\n\n');
}

function inputLine(skill: Skill, name: string): string {
  const description = skill.inputs.find((input) => input.name === name)?.description ?? '';
  return description === '' ? `- ${name}` : `- ${name}: ${description}`;
}

/** The length of the list. Descriptions are cut to it, all to the same length, before a skill is left out. Unit: characters. */
const maxListCharacters = 8_000;
/** A description is not cut further. Unit: characters. */
const minDescriptionCharacters = 60;

/**
 * Returns the list of skills that the model can load: a line with name and description for each, by name, at most 8,000 characters
 * in all. Of more skills than that the strongest, which come last, are listed, and a line counts the others.
 */
export function skillListLines(skills: readonly Skill[]): readonly string[] {
  const listed = skills.filter(({ kind }) => kind === 'listed');
  const longest = Math.max(0, ...listed.map(({ description = '' }) => description.length));
  // The largest cut that fits, by halves: the length grows with the cut.
  let [least, most] = [minDescriptionCharacters, Math.max(minDescriptionCharacters, longest)];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (lengthOf(listed, middle) <= maxListCharacters) least = middle;
    else most = middle - 1;
  }
  let first = 0;
  let length = lengthOf(listed, least);
  for (; length > maxListCharacters && first < listed.length; first++) {
    length -= lineOf(listed[first] as Skill, least).length + 1;
  }
  const lines = listed.slice(first).map((skill) => lineOf(skill, least));
  lines.sort();
  return first === 0 ? lines : [...lines, `(${first} more: call load_skill without a name for all names)`];
}

/** Returns the names of the skills that are listed in a text with such lines. */
export function namesInSkillList(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^- ([a-z0-9-]+): /gm)].map((match) => match[1] ?? ''));
}

function lineOf({ name, description = '' }: Skill, maxDescription: number): string {
  const isCut = description.length > maxDescription;
  return `${name}: ${isCut ? `${sliceText(description, 0, maxDescription - 1)}…` : description}`;
}

function lengthOf(skills: readonly Skill[], maxDescription: number): number {
  return skills.reduce((sum, skill) => sum + lineOf(skill, maxDescription).length + 1, 0);
}

/** The `sender` of the messages that show loaded skills again. */
export const loadedSkillsSender = 'palimpsest/loaded-skills';

/** The number of the skills loaded last that are shown again. */
const maxSkills = 3;
/** The number of times that one load of a skill is shown again. After that the model loads it again, if it still needs it. */
const maxRepetitions = 2;

/** Returns the name of the skill whose whole text a tool result holds: the tool `load_skill` says so in `details`. */
function loadedSkillOf(event: Event): string | undefined {
  if (event.type !== 'observation' || ('redacted' in event && event.redacted === true)) return undefined;
  const name = event.details?.['loadedSkill'];
  return typeof name === 'string' ? name : undefined;
}

/**
 * Returns the names of the skills that the model loaded with a tool and whose text a condensation has forgotten or masked, if the
 * text is to be shown again: of the three skills that were loaded last, each at most twice after its last load. Cost: one pass over
 * what the condensations in force have forgotten.
 *
 * @param visible - the skills whose text the model sees
 */
export function forgottenLoads(view: View, visible: { has(name: string): boolean }): readonly string[] {
  const loads = new Map<string, { readonly position: number; readonly id: EventId }>();
  const repetitions: { readonly names: readonly string[]; readonly position: number }[] = [];
  const read = (event: Event | undefined): void => {
    if (event === undefined) return;
    const position = view.positionOf(event.id) ?? -1;
    const name = loadedSkillOf(event);
    if (name !== undefined && position > (loads.get(name)?.position ?? -1)) loads.set(name, { position, id: event.id });
    if (event.type === 'message' && event.sender === loadedSkillsSender) {
      repetitions.push({ names: event.activatedSkills ?? [], position });
    }
  };
  const gone = new Set(
    view.condensations.flatMap(({ forgottenEventIds, redactions = [] }) => [
      ...forgottenEventIds,
      ...redactions.map(({ eventId }) => eventId),
    ]),
  );
  for (const id of gone) read(view.original(id));
  if (loads.size === 0) return [];
  for (const event of view.events) if (!gone.has(event.id)) read(event);
  const unneeded = markedResults(view);
  return [...loads]
    .filter(([, { id }]) => !unneeded.has(id))
    .sort(([, one], [, other]) => other.position - one.position)
    .slice(0, maxSkills)
    .filter(([name, load]) => {
      const shown = repetitions.filter(({ names, position }) => position > load.position && names.includes(name));
      return !visible.has(name) && shown.length < maxRepetitions;
    })
    .map(([name]) => name);
}

/**
 * Returns the results of which the model said that it does not need them any more.
 *
 * @see `RelevanceDirective` of `@palimpsest/relevance-tool`, which this package does not depend on
 */
function markedResults(view: View): ReadonlySet<unknown> {
  const marked = new Set<unknown>();
  for (const event of view.internalEvents) {
    if (event.type === 'relevance/directive' && 'targetEventId' in event) marked.add(event.targetEventId);
  }
  return marked;
}

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
