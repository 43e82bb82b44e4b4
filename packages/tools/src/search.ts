import { stat } from 'node:fs/promises';
import { defineTool, sliceText } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import type { Workspace } from './workspace.js';
import { linesOf, readTextFile } from './text-file.js';
import { walk } from './walk.js';

const maxLineCharacters = 300;

const input = z.object({
  pattern: z.string().min(1).describe('A regular expression in the syntax of JavaScript.'),
  path: z.string().min(1).default('.').describe('The file or folder to search, relative to the root of the workspace.'),
  ignore_case: z.boolean().default(false).describe('Whether capitals and small letters are the same.'),
  max_results: z.int().min(1).max(1000).default(100).describe('How many lines to show at most.'),
});

/** The tool `search`. */
export function searchTool(workspace: Workspace): Tool<z.infer<typeof input>> {
  return defineTool({
    name: 'search',
    description: 'Find the lines that match a regular expression, as `path:line: text`.',
    input,
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: async ({ pattern, path, ignore_case, max_results }, { signal }) => {
      const expression = expressionOf(pattern, ignore_case);
      const found: string[] = [];
      let matches = 0;
      for await (const file of filesBelow(await workspace.resolve(path), path)) {
        signal?.throwIfAborted();
        const shown = workspace.show(file);
        // A file that is not text, too long or unreadable has no matching line.
        const text = await readTextFile(workspace, shown).catch(() => '');
        linesOf(text).forEach((line, index) => {
          if (!expression.test(line)) return;
          matches += 1;
          if (matches <= max_results) found.push(`${shown}:${index + 1}: ${sliceText(line, 0, maxLineCharacters)}`);
        });
      }
      if (matches > max_results) found.push(`[${matches - max_results} more matches; narrow the pattern or the path]`);
      return {
        content: found.join('\n') || `Nothing matches /${pattern}/ in '${path}'.`,
        details: { pattern, path, matches },
      };
    },
  });
}

function expressionOf(pattern: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(pattern, ignoreCase ? 'iu' : 'u');
  } catch (cause) {
    // The engine's message differs between versions of Node.
    throw new Error(`/${pattern}/ is no regular expression of JavaScript. Escape what is meant literally.`, { cause });
  }
}

async function* filesBelow(absolute: string, shown: string): AsyncGenerator<string> {
  const status = await stat(absolute).catch(() => {
    throw new Error(`There is no file or folder '${shown}'.`);
  });
  if (status.isFile()) yield absolute;
  else for await (const entry of walk(absolute)) if (!entry.isFolder) yield entry.absolute;
}
