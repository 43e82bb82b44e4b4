import { PalimpsestError } from '@palimpsest/events';
import { z } from 'zod';
import { untrustedLine } from './untrusted-text.js';

/** An input of a task skill. */
export interface SkillInput {
  readonly name: string;
  readonly description: string;
}

/**
 * A piece of knowledge for the model. OpenHands calls it a microagent. `always`: part of the workspace context. `keyword`: shown
 * when the user's words contain one of its triggers. `task`: shown when the user writes `/name`. `listed`: the model is shown its
 * name and description, and loads its text with the tool `load_skill`. A trigger of the user shows it too.
 */
export interface Skill {
  readonly name: string;
  readonly kind: 'always' | 'keyword' | 'task' | 'listed';
  readonly content: string;
  /** Its purpose, on one line. Only of skills from a `SKILL.md`. */
  readonly description?: string;
  /** The folder of its `SKILL.md`, as an absolute path. Further files of the skill stand in it. */
  readonly folder?: string;
  /** The triggers, in the order in which they are tried. Empty for `always`. */
  readonly triggers: readonly string[];
  /** The inputs of a task. Empty for other kinds. */
  readonly inputs: readonly SkillInput[];
}

const inputSchema = z.object(
  {
    name: z.string('must be a word').regex(/^[\w-]+$/, 'may hold letters, digits, _ and -'),
    description: z.string('must be a text').nullish(),
  },
  "must have a name, as in '{ name: issue }'",
);
/** YAML reads some words as numbers or truth values. */
const wordSchema = z.union([z.string(), z.number(), z.boolean()], 'must be a word or words').transform(String);
const metadataSchema = z.object({
  name: wordSchema.pipe(z.string().trim().regex(/^.*$/, 'must stand on one line')).nullish(),
  type: z.enum(['repo', 'knowledge', 'task']).nullish(),
  triggers: z
    .array(wordSchema.pipe(z.string().trim().min(1, 'is empty')), "must be a list, as in '[docker]'")
    .nullish(),
  inputs: z.array(inputSchema, "must be a list, as in '[{ name: issue }]'").nullish(),
});
const kinds = { repo: 'always', knowledge: 'keyword', task: 'task' } as const;

/**
 * Reads a skill from markdown with front matter: `triggers` makes it a keyword skill, `inputs` a task, neither one that is
 * always on. A contradicting `type` (`repo`, `knowledge`, `task`) is an error. Without front matter a document is always on.
 *
 * @param options.file - for error messages
 * @param options.name - @defaultValue the front matter's `name`, else the file's name without its ending
 * @throws {@link InvalidSkillError} when the front matter is wrong or there is no text.
 */
export async function parseSkill(
  document: string,
  options: { readonly file: string; readonly name?: string },
): Promise<Skill> {
  const { file } = options;
  const { data, body } = await splitFrontMatter(document, file);
  const parsed = metadataSchema.safeParse(data ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue === undefined || issue.path.length === 0 ? 'its front matter' : `'${issue.path.join('.')}'`;
    throw new InvalidSkillError(file, `is not valid: ${where}: ${issue?.message ?? 'is wrong'}`);
  }
  const { type, triggers, inputs } = parsed.data;
  const repeated = inputs?.find(({ name }, index) => inputs.findIndex((other) => other.name === name) !== index);
  if (repeated !== undefined) throw new InvalidSkillError(file, `has two inputs '${repeated.name}'.`);
  const name = options.name ?? (parsed.data.name || baseName(file));
  const content = body.trim();
  if (content === '') throw new InvalidSkillError(file, 'has no text below its front matter.');

  const hasTriggers = (triggers ?? []).length > 0;
  const hasInputs = (inputs ?? []).length > 0;
  const kind = hasInputs || type === 'task' ? 'task' : hasTriggers ? 'keyword' : 'always';
  if (type !== undefined && type !== null && kinds[type] !== kind) {
    throw new InvalidSkillError(file, `has type '${type}', ${contradictions[kind]}.`);
  }
  const command = `/${name}`;
  const all = [...new Set([...(kind === 'task' ? [command] : []), ...(triggers ?? [])])];
  return {
    name,
    kind,
    content,
    triggers: kind === 'always' ? [] : all,
    inputs: (inputs ?? []).map((input) => ({ name: input.name, description: input.description ?? '' })),
  };
}

const contradictions = {
  task: "and inputs, which only a task has: write 'type: task', or remove the inputs",
  keyword: "and triggers, which only knowledge has: write 'type: knowledge', or remove the triggers",
  always: "but no triggers: add some, or write 'type: repo' for a text that is always shown",
};

function baseName(file: string): string {
  return (file.split(/[\\/]/).at(-1) ?? file).replace(/\.[^.]+$/, '');
}

/** The limits of the format. Unit: characters. */
const maxNameCharacters = 64;
const maxDescriptionCharacters = 1024;

const agentSkillSchema = z.object(
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
  const parsed = agentSkillSchema.safeParse(named(data, folderName));
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

/** A description that holds a `: ` is no YAML unless it is quoted. Many are not, and other agents read them. */
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

/** Returns the front matter with a name: its own, else the folder's. */
function named(data: unknown, folderName: string): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  return 'name' in data && data.name !== null ? data : { ...data, name: folderName };
}

/** A document in two parts: the YAML between two lines of `---` at its beginning, and what comes after. */
export interface FrontMatter {
  /** Undefined if there is none. */
  readonly data: unknown;
  readonly body: string;
}

const block = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m;

/** @throws {@link InvalidSkillError} when the block does not end or is not YAML. */
async function splitFrontMatter(document: string, file: string): Promise<FrontMatter> {
  const text = document.replace(/^\uFEFF/, '');
  if (!/^---[ \t]*(?:\r?\n|$)/.test(text)) return { data: undefined, body: text };
  const match = block.exec(text);
  if (match?.index !== 0) {
    throw new InvalidSkillError(file, "begins with '---' and never ends its front matter; close it with a line '---'.");
  }
  // Only for who has such a file: it takes 20 ms.
  const { parse } = await import('./yaml.js');
  try {
    // YAML warnings are not printed: a library does not write to the console.
    return { data: parse(match[1] ?? '', { logLevel: 'error' }) as unknown, body: text.slice(match[0].length) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'it cannot be read';
    throw new InvalidSkillError(file, `has front matter that is not YAML: ${reason}`, { cause: error });
  }
}

/** The text of a skill is invalid. The message names the file and the problem. */
export class InvalidSkillError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidSkillError';
  }

  readonly file: string;

  constructor(file: string, reason: string, options?: { readonly cause?: unknown }) {
    super('invalid-skill', `The skill '${file}' ${reason}`, options);
    this.file = file;
  }
}
