import { sliceText } from '@palimpsest/events';
import type { Skill } from './skill.js';

/** The length of the list. Descriptions are cut to it, all to the same length, before a skill is left out. Unit: characters. */
const maxListCharacters = 8_000;
/** A description is not cut further. Unit: characters. */
const minDescriptionCharacters = 60;

/**
 * The list of skills that the model can load: a line with name and description for each, by name, at most 8,000 characters in
 * all. Of more skills than that the strongest, which come last, are listed, and a line counts the others.
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

/** The names of the skills that are listed in a text with such lines. */
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
