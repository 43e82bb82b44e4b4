import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { findSkills, folderTemplates, skillTool, workspaceContext } from '@palimpsest/agent/node';
import { builtInTemplates, builtInTemplateTexts, layeredTemplates } from '@palimpsest/agent/prompts';
import type { ContextOptions, TemplateSource } from '@palimpsest/agent/prompts';
import type { Tool } from '@palimpsest/events';
import type { Workspace } from '@palimpsest/tools';
import { InvalidSettingsError } from '../settings/settings-file.js';
import type { Settings } from '../settings/settings.js';
import { userFolder } from '../settings/user-folders.js';

/** Knowledge of a workspace that the model gets beside its instructions. */
export interface WorkspaceKnowledge {
  /** For `contextMessages`. */
  readonly context: Omit<ContextOptions, 'prompts'>;
  /** `load_skill`, if there are skills. */
  readonly tools: readonly Tool[];
  /** The folders of skills outside the workspace, whose scripts commands have to read. */
  readonly folders: readonly string[];
  /** Files that are not used, or not as they are meant, with the reason. */
  readonly notes: readonly string[];
}

/**
 * Collects the facts of a workspace, its instruction files and its skills, and those of the user: `~/.claude/skills`,
 * `~/.agents/skills`, the folders of the settings, and the folder of the user's configuration with `AGENTS.md` and `skills`. Later
 * ones are stronger, and the workspace's are the strongest.
 */
export async function workspaceKnowledge(
  workspace: Workspace,
  settings: Settings['context'],
  env: Readonly<Record<string, string | undefined>>,
): Promise<WorkspaceKnowledge> {
  const home = env['HOME'] ?? homedir();
  const { disabledSkills } = settings;
  const [facts, { skills, problems }] = await Promise.all([
    workspaceContext(workspace.root, { env }),
    findSkills({
      workingDirectory: workspace.root,
      skillFolders: [join(home, '.claude/skills'), join(home, '.agents/skills'), ...settings.skillFolders],
      userDirectories: [userFolder(env)],
      instructionFiles: settings.instructions,
    }),
  ]);
  return {
    context: { skills, disabledSkills, workspace: facts },
    tools: skills.some(({ folder }) => folder !== undefined) ? [skillTool({ skills, disabledSkills })] : [],
    folders: skills
      .filter(({ name }) => !disabledSkills.includes(name))
      .flatMap(({ folder }) => (folder === undefined || isWithin(folder, workspace.root) ? [] : [folder])),
    notes: problems.map(({ message }) => message),
  };
}

function isWithin(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(root + sep);
}

/** The template of the agent's instructions. It includes `system_prompt.j2`. */
export const systemPromptFile = 'system_prompt_coding.j2';

/** The templates that the agent renders, of those that there are: not the other variants of the system prompt. */
const used = Object.keys(builtInTemplateTexts).filter(
  (name) => !name.startsWith('system_prompt_') || name === systemPromptFile,
);

/**
 * Returns the templates of the prompts: ours, and in their place those of the same names in a folder.
 *
 * @throws {@link InvalidSettingsError} when the folder cannot be read, or holds no template that is used.
 */
export async function promptTemplates(folder: string | undefined): Promise<TemplateSource> {
  if (folder === undefined) return builtInTemplates;
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (cause) {
    throw wrong(folder, `cannot be read: ${(cause as Error).message}`, cause);
  }
  if (!used.some((name) => names.includes(name))) {
    throw wrong(folder, `holds no template that is used. Those are: ${used.join(', ')}`);
  }
  return layeredTemplates(folderTemplates(folder), builtInTemplates);
}

function wrong(folder: string, reason: string, cause?: unknown): InvalidSettingsError {
  return new InvalidSettingsError('templateFolder', [{ reason: `'${folder}' ${reason}` }], { cause });
}
