import { z } from 'zod';
import { InvalidSkillError } from './errors.js';
import { splitFrontMatter } from './front-matter.js';
import type { FrontMatter } from './front-matter.js';
import { untrustedLine } from './untrusted-text.js';
import type { Skill } from './skill.js';

/** The limits of the format. Unit: characters. */
const maxNameCharacters = 64;
const maxDescriptionCharacters = 1024;

const metadataSchema = z.object(
  {
    name: z
      .string('must be a word')
      .max(maxNameCharacters, `has more than ${maxNameCharacters} characters`)
      .regex(
        /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
        'may hold lower-case letters, digits and single hyphens between them, as in pdf-forms',
      ),
    description: z
      .string("is missing: say in a sentence what the skill does and when to use it; quote it if it holds a ':'")
      .trim()
      .min(1, 'is empty: say in a sentence what the skill does and when to use it')
      .max(maxDescriptionCharacters, `has more than ${maxDescriptionCharacters} characters`),
    triggers: z
      .array(z.union([z.string(), z.number()]).transform(String).pipe(z.string().trim().min(1)))
      .nullish()
      .catch(undefined),
    'disable-model-invocation': z.boolean().nullish().catch(undefined),
  },
  "must be a list of 'name: value', with a name and a description",
);

/**
 * Reads a `SKILL.md`, the skill of the Agent Skills format: front matter with `name` and `description`, then the text that is
 * loaded when it is needed. The user calls it with `/name`, or with a word of `triggers`, a field of ours. With
 * `disable-model-invocation: true` only the user calls it, and the model is not told that it exists. Other fields are ignored:
 * none of them gives a permission.
 *
 * @param options.file - for error messages
 * @param options.folder - the folder of the file, as an absolute path. Its name is the skill's if the front matter has none.
 * @throws {@link InvalidSkillError} when the front matter is missing or wrong, a limit of the format is passed, or there is no text.
 *
 * @see https://agentskills.io/specification
 */
export async function parseAgentSkill(
  document: string,
  options: { readonly file: string; readonly folder: string },
): Promise<Skill> {
  const { file, folder } = options;
  const { data, body } = await split(document, file);
  if (data === undefined) {
    throw new InvalidSkillError(file, "begins with no front matter; begin it with '---' and a name and a description.");
  }
  const folderName = folder.split(/[\\/]/).findLast((part) => part !== '') ?? '';
  const parsed = metadataSchema.safeParse(named(data, folderName));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue === undefined || issue.path.length === 0 ? 'its front matter' : `'${issue.path.join('.')}'`;
    throw new InvalidSkillError(file, `is not valid: ${where} ${issue?.message ?? 'is wrong'}.`);
  }
  const { name, description, triggers, 'disable-model-invocation': userOnly } = parsed.data;
  const content = body.trim();
  if (content === '') throw new InvalidSkillError(file, 'has no text below its front matter.');
  return {
    name,
    kind: userOnly === true ? 'keyword' : 'listed',
    description: untrustedLine(description, maxDescriptionCharacters),
    content,
    folder,
    triggers: [...new Set([`/${name}`, ...(triggers ?? [])])],
    inputs: [],
  };
}

/** A description that holds a `: ` is no YAML unless it is quoted; many are not, and other agents read them. */
async function split(document: string, file: string): Promise<FrontMatter> {
  try {
    return await splitFrontMatter(document, file);
  } catch (error) {
    const quoted = document.replace(
      /^(description:[ \t]+)([^"'|>\s].*)$/m,
      (_, key: string, text: string) => key + JSON.stringify(text.trim()),
    );
    try {
      return await splitFrontMatter(quoted, file);
    } catch {
      throw error;
    }
  }
}

/** The front matter with a name: its own, else the folder's. */
function named(data: unknown, folderName: string): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  return 'name' in data && data.name !== null ? data : { ...data, name: folderName };
}
