import { readdir } from 'node:fs/promises';
import { folderTemplates } from '@palimpsest/agent/node';
import { builtInTemplates, builtInTemplateTexts, layeredTemplates } from '@palimpsest/agent/prompts';
import type { PromptOptions } from '@palimpsest/agent/prompts';
import { InvalidSettingsError } from './settings/errors.js';

const ownSystemPrompt = 'system_prompt_coding.j2';

/**
 * The templates of the prompts: ours, and in their place those of the same names in a folder. A folder without our system prompt may
 * have the usual name of one, `system_prompt.j2`.
 *
 * @throws {@link InvalidSettingsError} when the folder cannot be read, or holds no template that would be used.
 */
export async function promptTemplates(
  folder: string | undefined,
): Promise<Required<Pick<PromptOptions, 'templates' | 'systemPrompt'>>> {
  if (folder === undefined) return { templates: builtInTemplates, systemPrompt: ownSystemPrompt };
  const names = await namesIn(folder);
  const known = Object.keys(builtInTemplateTexts);
  if (!known.some((name) => names.has(name))) {
    throw wrong(folder, `holds no template that is used. Those are: ${known.join(', ')}`);
  }
  const isUsual = !names.has(ownSystemPrompt) && names.has('system_prompt.j2');
  return {
    templates: layeredTemplates(folderTemplates(folder), builtInTemplates),
    systemPrompt: isUsual ? 'system_prompt.j2' : ownSystemPrompt,
  };
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(folder));
  } catch (cause) {
    throw wrong(folder, `cannot be read: ${(cause as Error).message}`, cause);
  }
}

function wrong(folder: string, reason: string, cause?: unknown): InvalidSettingsError {
  return new InvalidSettingsError('templateFolder', [{ reason: `'${folder}' ${reason}` }], { cause });
}
