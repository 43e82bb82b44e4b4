import { taskContent } from './task-inputs.js';
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
 * The skills that a text triggers, in the order of the skills, each once.
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
