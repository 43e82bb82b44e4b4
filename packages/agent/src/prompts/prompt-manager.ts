import { layeredTemplates, loadTemplate } from '@palimpsest/templates';
import type { TemplateSource, TemplateValue } from '@palimpsest/templates';
import { builtInTemplates } from './built-in-templates.js';
import type { TriggeredSkill } from './skill-match.js';
import type { Skill } from './skill.js';
import { withoutOurTags } from './untrusted-text.js';
import { workspaceVariables } from './workspace-context.js';
import type { WorkspaceContext } from './workspace-context.js';

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
 * Renders the prompts. Pure: the same input gives the same text. Each function throws a `PromptTemplateError` when its template
 * uses a variable that is not defined.
 */
export interface PromptManager {
  systemPrompt(): string;
  /** An example before the workspace context; empty with the built-in templates. */
  userPrompt(): string;
  /** Empty when there is nothing to say. @defaultValue `repositoryInstructions`: none */
  workspaceContext(context: WorkspaceContext, repositoryInstructions?: string): string;
  /** The texts of skills, each with its trigger; empty if there are none. */
  skillInfo(triggered: readonly TriggeredSkill[]): string;
  /** The names and descriptions of skills, in lines that `skillListLines` made; empty if there are none. */
  skillList(lines: readonly string[]): string;
  /** The texts of skills that the model loaded, and that a condensation has forgotten; empty if there are none. */
  loadedSkills(skills: readonly Skill[]): string;
}

/**
 * Loads the templates and everything that they include: `system_prompt.j2` or the requested variant, `user_prompt.j2`,
 * `additional_info.j2`, `microagent_info.j2`, and `skill_list.j2` and `loaded_skills.j2`, which are ours where the templates lack
 * them.
 *
 * @throws `PromptTemplateError` of `@palimpsest/templates` when one is missing or does not parse; names the first such file.
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
