import { readdir } from 'node:fs/promises';
import { folderTemplates } from '@palimpsest/agent/node';
import { builtInTemplates, builtInTemplateTexts, layeredTemplates } from '@palimpsest/agent/prompts';
import type { TemplateSource } from '@palimpsest/agent/prompts';
import { InvalidSettingsError } from './settings/settings-file.js';

/** The template of the agent's instructions. It includes `system_prompt.j2`. */
export const systemPromptFile = 'system_prompt_coding.j2';

/** The templates that the agent renders, of those that there are: not the other variants of the system prompt. */
const used = Object.keys(builtInTemplateTexts).filter(
  (name) => !name.startsWith('system_prompt_') || name === systemPromptFile,
);

/**
 * The templates of the prompts: ours, and in their place those of the same names in a folder.
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
