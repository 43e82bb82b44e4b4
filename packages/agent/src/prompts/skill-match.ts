import { taskContent } from './task-inputs.js';
import type { Skill } from './skill.js';

/** A skill that the user's words called for. */
export interface TriggeredSkill {
  readonly skill: Skill;
  /** The trigger as the skill writes it. */
  readonly trigger: string;
  /** What the model is shown: the skill's text, with the inputs of a task filled in. */
  readonly content: string;
}

/**
 * The skills that a text calls for, in their own order, each once.
 *
 * A trigger matches without regard to case and width of white space, and only as whole words: where it begins or ends with a
 * letter, digit or underscore, none of these may stand next to it (`git` is not in `digit`). A trigger that begins with `/`
 * is a command: white space or the beginning stands before it, white space, punctuation or the end after it, so that paths
 * and addresses call for nothing. OpenHands matches any part of a word; this does not.
 */
export function matchSkills(text: string, skills: readonly Skill[]): readonly TriggeredSkill[] {
  return skills.flatMap((skill) => {
    for (const trigger of skill.triggers) {
      const match = patternOf(trigger).exec(text);
      if (match === null) continue;
      const rest = text.slice(match.index + match[0].length).split('\n', 1)[0] ?? '';
      return [{ skill, trigger, content: skill.kind === 'task' ? taskContent(skill, rest) : skill.content }];
    }
    return [];
  });
}

const word = String.raw`[\p{L}\p{N}_]`;

function patternOf(trigger: string): RegExp {
  const wanted = trigger
    .trim()
    .split(/\s+/)
    .map(escaped)
    .join(String.raw`\s+`);
  if (trigger.startsWith('/')) {
    return new RegExp(String.raw`(?<!\S)${wanted}(?=$|\s|[.,;:!?)](?:\s|$))`, 'iu');
  }
  const isWord = new RegExp(word, 'u');
  const before = isWord.test([...trigger][0] ?? '') ? `(?<!${word})` : '';
  const after = isWord.test([...trigger].at(-1) ?? '') ? `(?!${word})` : '';
  return new RegExp(before + wanted + after, 'iu');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
