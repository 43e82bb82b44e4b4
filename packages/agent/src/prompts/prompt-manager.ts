import { loadTemplate } from '@palimpsest/templates';
import type { TemplateLimits, TemplateSource, TemplateValue } from '@palimpsest/templates';
import { builtInTemplates } from './built-in-templates.js';
import type { TriggeredSkill } from './skill-match.js';
import { withoutOurTags, workspaceVariables } from './workspace-context.js';
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
  /** Additional variables for custom templates. @defaultValue none */
  readonly variables?: Readonly<Record<string, TemplateValue>>;
  /** The limits of each template. @defaultValue `defaultTemplateLimits` of `@palimpsest/templates` */
  readonly limits?: TemplateLimits;
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
}

/**
 * Loads the four templates and everything that they include: `system_prompt.j2` or the requested variant, `user_prompt.j2`,
 * `additional_info.j2`, `microagent_info.j2`.
 *
 * @throws `PromptTemplateError` of `@palimpsest/templates` when one is missing or does not parse; names the file.
 *
 * @see OpenHands' `PromptManager`, whose file names and variables these are
 */
export async function loadPrompts(options: PromptOptions = {}): Promise<PromptManager> {
  const { templates = builtInTemplates, systemPrompt = 'system_prompt.j2', cliMode = false, shell = 'bash' } = options;
  const [system, user, workspace, skills] = await Promise.all(
    [systemPrompt, 'user_prompt.j2', 'additional_info.j2', 'microagent_info.j2'].map((name) =>
      loadTemplate(templates, name, { limits: options.limits }),
    ) as [Loading, Loading, Loading, Loading],
  );
  const shared = { cli_mode: cliMode, shell, ...options.variables };
  return {
    systemPrompt: () => system.render(shared).trim(),
    userPrompt: () => user.render(shared).trim(),
    workspaceContext: (context, repositoryInstructions = '') =>
      workspace.render({ ...shared, ...workspaceVariables(context, repositoryInstructions) }).trim(),
    skillInfo: (triggered) =>
      triggered.length === 0 ? '' : skills.render({ ...shared, triggered_agents: triggered.map(templateAgent) }).trim(),
  };
}

type Loading = ReturnType<typeof loadTemplate>;

function templateAgent({ skill, trigger, content }: TriggeredSkill): TemplateValue {
  return {
    name: withoutOurTags(skill.name),
    trigger: withoutOurTags(trigger),
    content: withoutOurTags(content),
  };
}
