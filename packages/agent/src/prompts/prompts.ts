import { layeredTemplates, loadTemplate, templatesFrom } from '@palimpsest/templates';
import type { TemplateSource, TemplateValue } from '@palimpsest/templates';
import type { Skill } from './skill.js';
import type { TriggeredSkill } from './skills-in-view.js';
import { codingSystemPrompt } from './templates/coding-system-prompt.prompt.js';
import { loadedSkills, microagentInfo, skillList } from './templates/skills.prompt.js';
import {
  interactiveSystemPrompt,
  longHorizonSystemPrompt,
  security,
  systemPrompt,
} from './templates/system-prompt.prompt.js';
import { additionalInfo, userPrompt } from './templates/workspace.prompt.js';
import { untrustedLine, visibleText, withoutOurTags } from './untrusted-text.js';

/** Options of {@link loadPrompts}. */
export interface PromptOptions {
  /** @defaultValue {@link builtInTemplates} */
  readonly templates?: TemplateSource;
  /** The file name of the system prompt. @defaultValue 'system_prompt.j2' */
  readonly systemPrompt?: string;
  /** The agent works on the user's own machine, not in a sandbox. @defaultValue false */
  readonly cliMode?: boolean;
  /** The shell that runs commands. @defaultValue 'bash' */
  readonly shell?: string;
  /** Nobody can answer a question during the run. Read by `system_prompt_coding.j2`. @defaultValue false */
  readonly headless?: boolean;
  /**
   * The names of the agent's tools. `system_prompt_coding.j2` speaks of those that it knows. @defaultValue none
   */
  readonly toolNames?: readonly string[];
  /** Additional variables for custom templates. @defaultValue none */
  readonly variables?: Readonly<Record<string, TemplateValue>>;
}

/**
 * A renderer of the prompts. It is pure: the same input gives the same text. Each function throws a
 * `PromptTemplateError` when its template uses a variable that is not defined.
 */
export interface PromptManager {
  systemPrompt(): string;
  /** An example before the workspace context; empty with the built-in templates. */
  userPrompt(): string;
  /** Empty when there is nothing to say. @defaultValue `repositoryInstructions`: none */
  workspaceContext(context: WorkspaceContext, repositoryInstructions?: string): string;
  /** Returns the texts of skills, each with its trigger; empty if there are none. */
  skillInfo(triggered: readonly TriggeredSkill[]): string;
  /** Returns the names and descriptions of skills, in lines that `skillListLines` made; empty if there are none. */
  skillList(lines: readonly string[]): string;
  /** Returns the texts of skills that the model loaded, and that a condensation has forgotten. Empty if there are none. */
  loadedSkills(skills: readonly Skill[]): string;
}

/**
 * Loads the templates and everything that they include: `system_prompt.j2` or the requested variant, `user_prompt.j2`,
 * `additional_info.j2`, `microagent_info.j2`, and `skill_list.j2` and `loaded_skills.j2`, which are ours where the templates lack
 * them.
 *
 * @throws `PromptTemplateError` of `@palimpsest/templates` when one is missing or does not parse. It names the first such file.
 *
 * @see OpenHands' `PromptManager`, whose file names and variables these are
 */
export async function loadPrompts(options: PromptOptions = {}): Promise<PromptManager> {
  const { templates = builtInTemplates, systemPrompt = 'system_prompt.j2', cliMode = false, shell = 'bash' } = options;
  const load = (name: string, from = templates) => loadTemplate(from, name);
  const withOurs = layeredTemplates(templates, builtInTemplates);
  // One after the other: where several are missing, the error always names the first.
  const system = await load(systemPrompt);
  const user = await load('user_prompt.j2');
  const workspace = await load('additional_info.j2');
  const skills = await load('microagent_info.j2');
  // OpenHands' templates have none of these.
  const list = await load('skill_list.j2', withOurs);
  const loaded = await load('loaded_skills.j2', withOurs);
  const shared = {
    cli_mode: cliMode,
    shell,
    headless: options.headless ?? false,
    tool_names: options.toolNames ?? [],
    ...options.variables,
  };
  return {
    systemPrompt: () => system.render(shared).trim(),
    userPrompt: () => user.render(shared).trim(),
    workspaceContext: (context, repositoryInstructions = '') =>
      workspace.render({ ...shared, ...workspaceVariables(context, repositoryInstructions) }).trim(),
    skillInfo: (triggered) =>
      triggered.length === 0 ? '' : skills.render({ ...shared, triggered_agents: triggered.map(templateAgent) }).trim(),
    skillList: (lines) =>
      lines.length === 0 ? '' : list.render({ ...shared, lines: lines.map(withoutOurTags) }).trim(),
    loadedSkills: (given) =>
      given.length === 0
        ? ''
        : loaded
            .render({
              ...shared,
              skills: given.map(({ name, content }) => ({ name, content: withoutOurTags(content) })),
            })
            .trim(),
  };
}

function templateAgent({ skill, trigger, content }: TriggeredSkill): TemplateValue {
  return {
    name: withoutOurTags(skill.name),
    trigger: withoutOurTags(trigger),
    content: withoutOurTags(content),
  };
}

/** The texts of the package's own templates by file name. Use them as a starting point for custom templates. */
export const builtInTemplateTexts = {
  'system_prompt.j2': systemPrompt,
  'system_prompt_interactive.j2': interactiveSystemPrompt,
  'system_prompt_long_horizon.j2': longHorizonSystemPrompt,
  'system_prompt_coding.j2': codingSystemPrompt,
  'security.j2': security,
  'user_prompt.j2': userPrompt,
  'additional_info.j2': additionalInfo,
  'microagent_info.j2': microagentInfo,
  'skill_list.j2': skillList,
  'loaded_skills.j2': loadedSkills,
} as const satisfies Readonly<Record<string, string>>;

/** The package's own templates. */
export const builtInTemplates: TemplateSource = templatesFrom(builtInTemplateTexts);

/** The facts about the workspace that the model is told. Fields that are not set are not mentioned. */
export interface WorkspaceContext {
  readonly repository?: {
    readonly name?: string;
    readonly directory?: string;
    readonly branch?: string;
    /** The differences from the last commit, a line for each file, when the conversation began. */
    readonly changes?: readonly string[];
    /** The newest commits, a line for each. */
    readonly commits?: readonly string[];
    /** The top of the file tree, a line for each file or folder; the indentation is kept. */
    readonly files?: readonly string[];
    /** Instruction files of folders below the working directory, which the model reads before it works there. */
    readonly nestedInstructions?: readonly string[];
  };
  readonly runtime?: {
    readonly workingDirectory?: string;
    /** The present day in UTC: `2026-11-21`. */
    readonly date?: string;
    /** The operating system, as in `linux x64`. */
    readonly platform?: string;
    /** Host to port. */
    readonly hosts?: Readonly<Record<string, number>>;
    readonly instructions?: string;
  };
  /** Names of secrets with their purpose, never their values. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Instructions for this conversation only. */
  readonly conversationInstructions?: string;
}

/**
 * Returns the variables of `additional_info.j2`, with the names that the field's templates use. All are defined: null if the value
 * is unknown.
 */
function workspaceVariables(
  { repository = {}, runtime = {}, secrets = {}, conversationInstructions = '' }: WorkspaceContext,
  repositoryInstructions: string,
): Readonly<Record<string, TemplateValue>> {
  return {
    repository_info: orNull({
      repo_name: oneLine(repository.name),
      repo_directory: oneLine(repository.directory),
      branch_name: oneLine(repository.branch),
      changes: lines(repository.changes),
      commits: lines(repository.commits),
      files: lines(repository.files),
      nested_instructions: lines(repository.nestedInstructions),
    }),
    repository_instructions: withoutOurTags(repositoryInstructions),
    runtime_info: orNull({
      // Not on one line as names are: two spaces in a path are two.
      working_dir: withoutOurTags(visibleText(runtime.workingDirectory ?? '').replace(/\n/g, ' ')),
      date: runtime.date ?? '',
      platform: runtime.platform ?? '',
      available_hosts: runtime.hosts ?? {},
      additional_agent_instructions: runtime.instructions ?? '',
      custom_secrets_descriptions: secrets,
    }),
    conversation_instructions: orNull({ content: conversationInstructions }),
  };
}

/** A longer name is cut. Unit: characters. */
const maxLineCharacters = 400;

/** A section is shown if any of its fields is set. */
function orNull(section: Readonly<Record<string, TemplateValue>>): TemplateValue {
  const isEmpty = (value: TemplateValue) =>
    value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.values(section).every(isEmpty) ? null : section;
}

/** The branch name is untrusted: anyone who can push a branch chooses it. */
function oneLine(name = ''): string {
  return untrustedLine(name, maxLineCharacters);
}

/** Names of files and commits are untrusted: anyone who can make a file or a commit chooses them. */
function lines(texts: readonly string[] = []): readonly string[] {
  return texts.map((text) => (/^ */.exec(text)?.[0] ?? '') + untrustedLine(text, maxLineCharacters));
}
