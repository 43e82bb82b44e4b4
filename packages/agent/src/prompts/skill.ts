import { z } from 'zod';
import { InvalidSkillError } from './errors.js';
import { splitFrontMatter } from './front-matter.js';

/** An input of a task skill. */
export interface SkillInput {
  readonly name: string;
  readonly description: string;
}

/**
 * A piece of knowledge for the model; OpenHands calls it a microagent. `always`: part of the workspace context.
 * `keyword`: shown when the user's words contain one of its triggers. `task`: shown when the user writes `/name`. `listed`: the
 * model is shown its name and description, and loads its text with the tool `load_skill`; a trigger of the user shows it too.
 */
export interface Skill {
  readonly name: string;
  readonly kind: 'always' | 'keyword' | 'task' | 'listed';
  readonly content: string;
  /** What it is for, on one line. Only of skills from a `SKILL.md`. */
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
