import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { builtInTemplateTexts, PromptTemplateError } from '../prompts/index.js';
import type { TemplateSource } from '../prompts/index.js';
import { hasCode, isWithin } from './files.js';

/**
 * Reads templates from the files of a folder: `system_prompt.j2` and so on. The folder must hold all templates that are used.
 * Layer it over the built-in templates (`layeredTemplates`) to replace a few. Nothing outside the folder is read, unless a link
 * in it leads there.
 */
export function folderTemplates(directory: string): TemplateSource {
  const folder = path.resolve(directory);
  return {
    locate: (name) => path.join(folder, name),
    async read(name) {
      const file = path.resolve(folder, name);
      if (file === folder || !isWithin(file, folder)) {
        throw new PromptTemplateError(file, `stands outside of the folder '${folder}', from which nothing is read.`);
      }
      try {
        return await readFile(file, 'utf8');
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined;
        throw new PromptTemplateError(file, `cannot be read: ${(error as Error).message}`, { cause: error });
      }
    },
  };
}

/**
 * Writes the built-in templates into a folder, as a start for your own. Existing files stay as they are.
 *
 * @returns the paths of the files that were written.
 */
export async function copyBuiltInTemplates(directory: string): Promise<readonly string[]> {
  await mkdir(directory, { recursive: true });
  const written: string[] = [];
  for (const [name, text] of Object.entries(builtInTemplateTexts)) {
    const file = path.join(directory, name);
    try {
      await writeFile(file, text, { flag: 'wx' });
      written.push(file);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
  return written;
}
