import type { Skill } from './skill.js';

const assignment = /(?<!\S)([\w-]+)=(?:"([^"]*)"|'([^']*)'|(\S+))/g;
const placeholder = /\$\{([\w-]+)\}/g;

/**
 * A task's text with its `${name}` placeholders filled from `name=value` pairs behind the command. Values are inserted
 * unchanged. For missing inputs the text tells the model to ask.
 */
export function taskContent(skill: Skill, commandLine: string): string {
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
