import { stat } from 'node:fs/promises';
import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import type { Workspace } from './workspace.js';
import { walk } from './walk.js';

const maxEntries = 400;

const input = z.object({
  path: z.string().min(1).default('.').describe('The folder, relative to the root of the workspace.'),
  depth: z.int().min(1).max(20).default(4).describe('How many levels of folders to show.'),
});

/** The tool `list_files`. */
export function listFilesTool(workspace: Workspace): Tool<z.infer<typeof input>> {
  return defineTool({
    name: 'list_files',
    description: 'List the files below a folder with their sizes. Skips node_modules, .git and build output.',
    input,
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: async ({ path, depth }) => {
      const folder = await workspace.resolve(path);
      const status = await stat(folder).catch(() => undefined);
      if (status === undefined) throw new Error(`There is no folder '${path}'.`);
      if (!status.isDirectory()) throw new Error(`'${path}' is a file. Use read_file.`);
      const lines: string[] = [];
      let left = 0;
      for await (const entry of walk(folder, depth)) {
        if (lines.length >= maxEntries) {
          left += 1;
          continue;
        }
        const shown = workspace.show(entry.absolute);
        lines.push(entry.isFolder ? `${shown}/` : `${shown} (${(await stat(entry.absolute)).size} bytes)`);
      }
      if (left > 0) lines.push(`[${left} more; list a folder of its own]`);
      return { content: lines.join('\n') || '[the folder is empty]', details: { path, entries: lines.length } };
    },
  });
}
