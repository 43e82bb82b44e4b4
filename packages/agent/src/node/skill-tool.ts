import { defineTool } from '@palimpsest/events';
import type { Tool, ToolOutput } from '@palimpsest/events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Skill } from '../prompts/index.js';
import { untrustedLine, withoutOurTags } from '../prompts/untrusted-text.js';
import { ifThere, readGuarded } from './files.js';

/** The name of the tool that {@link skillTool} makes. */
const skillToolName = 'load_skill';

const input = z.object({
  name: z.string().optional().describe('The skill. Without it all skills are listed.'),
  file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A file in the folder of the skill, relative to it, instead of its text. For example references/forms.md.',
    ),
});

/** The number of files of a skill that are named with its text, and their depth. */
const maxFiles = 50;
const maxDepth = 3;

/**
 * Makes the tool with which a model loads the skills that `contextMessages` lists: the text of a `SKILL.md`, then single files of its
 * folder, wherever it stands. Links that lead out of the folder are not followed. Results name their skill in `details.loadedSkill`, by which
 * `contextMessages` knows the texts that the model sees.
 *
 * @param options.skills - as `findSkills` returns them. Of two with one name the later counts.
 * @param options.disabledSkills - names of skills that are not loaded. @defaultValue none
 */
export function skillTool(options: {
  readonly skills: readonly Skill[];
  readonly disabledSkills?: readonly string[];
}): Tool<z.infer<typeof input>> {
  const { skills, disabledSkills = [] } = options;
  const byName = new Map(
    skills
      .filter(({ name, folder }) => folder !== undefined && !disabledSkills.includes(name))
      .map((skill) => [skill.name, skill]),
  );
  const listed = [...byName.values()].filter(({ kind }) => kind === 'listed');
  const list = listed.map(({ name, description = '' }) => `- ${name}: ${description}`).sort();
  return defineTool({
    name: skillToolName,
    description: 'Load a skill: the text that says how some kind of task is done here. Or read one of its files.',
    input,
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: async ({ name, file }): Promise<ToolOutput> => {
      if (name === undefined) return { content: list.length === 0 ? 'There are no skills.' : list.join('\n') };
      const skill = byName.get(name);
      const names = listed.map((each) => each.name).sort();
      if (skill === undefined) {
        throw new Error(
          `There is no skill '${name}'. ${names.length === 0 ? 'There are none.' : `Skills: ${names.join(', ')}.`}`,
        );
      }
      const folder = skill.folder ?? '';
      const isManifest = file !== undefined && /^(?:\.\/)?skill\.md$/i.test(path.posix.normalize(file));
      if (file !== undefined && !isManifest) {
        const text = await readGuarded(path.resolve(folder, file), folder);
        if (text === undefined) {
          throw new Error(`The skill '${name}' has no file '${file}'. ${namesOf(await filesBelow(folder))}`);
        }
        return { content: withoutOurTags(text), details: { skill: name, file } };
      }
      if (skill.kind !== 'listed') throw new Error(`The skill '${name}' is only called by the user, with /${name}.`);
      const files = await filesBelow(folder);
      const rest = files.length === 0 ? '' : `\n\n${namesOf(files)}`;
      return { content: withoutOurTags(skill.content) + rest, details: { loadedSkill: name } };
    },
  });
}

function namesOf(files: readonly string[]): string {
  if (files.length === 0) return 'It has no other files.';
  const more = files.length > maxFiles ? ', and more' : '';
  return `Its files: ${files.slice(0, maxFiles).join(', ')}${more}.`;
}

/**
 * Returns the files of a skill beside its `SKILL.md`, without hidden ones and without following links: at most one more than are
 * named.
 */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const visit = async (relative: string, depth: number): Promise<void> => {
    const entries = (await ifThere(readdir(path.join(folder, relative), { withFileTypes: true }))) ?? [];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (files.length > maxFiles) return;
      if (entry.name.startsWith('.') || /^skill\.md$/i.test(name) || entry.name === 'node_modules') continue;
      if (entry.isDirectory() && depth < maxDepth) await visit(name, depth + 1);
      else if (entry.isFile()) files.push(untrustedLine(name, 200));
    }
  };
  await visit('', 1);
  return files;
}
