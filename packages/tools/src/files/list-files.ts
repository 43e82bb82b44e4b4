import { lstat } from 'node:fs/promises';
import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import { folderAt } from '../workspace/workspace.js';
import { walk } from '../workspace/walk.js';
import type { Workspace } from '../workspace/workspace.js';

/** So many entries are shown. */
const maxEntries = 400;
/** So many are counted. */
const maxCounted = 20_000;

const input = z.object({
  path: z.string().min(1).default('.').describe('The folder, relative to the root of the workspace.'),
  depth: z.int().min(1).max(20).default(4).describe('How many levels of folders to show.'),
});

/**
 * Returns the tool `list_files`. Where there is more than fits, the deepest levels are left out first, and it says so. What
 * `.gitignore` ignores is listed only below a folder that is ignored itself.
 */
export function listFilesTool(workspace: Workspace): Tool<z.infer<typeof input>> {
  return defineTool({
    name: 'list_files',
    description:
      'List the files below a folder with their sizes. Skips what .gitignore ignores, node_modules, .git and build output.',
    input,
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: async ({ path, depth }, { signal }) => {
      const folder = await folderAt(workspace, path);
      const found: { readonly line: string; readonly depth: number }[] = [];
      let isCut = false;
      for await (const entry of walk(workspace, folder, { maxDepth: depth, signal })) {
        if (found.length >= maxCounted) {
          isCut = true;
          break;
        }
        const end =
          entry.kind === 'folder'
            ? '/'
            : entry.kind === 'file'
              ? await sizeOf(entry.place, entry.path)
              : ` [${entry.otherKind}]`;
        found.push({ line: `${entry.shown}${end}`, depth: entry.depth });
      }
      const levels = levelsThatFit(found.map((entry) => entry.depth));
      const lines = found.flatMap((entry) => (entry.depth <= levels ? [entry.line] : [])).slice(0, maxEntries);
      const left = found.length - lines.length;
      if (left > 0 || isCut) {
        lines.push(`[${isCut ? 'more than ' : ''}${left} more, shown to depth ${levels}; list a folder of its own]`);
      }
      return { content: lines.join('\n') || '[the folder is empty]', details: { path, entries: lines.length } };
    },
  });
}

async function sizeOf(place: string, path: string | undefined): Promise<string> {
  if (path === undefined) return ' [its name is not UTF-8]';
  const status = await lstat(place).catch(() => undefined);
  return status === undefined ? ' [it is gone]' : ` (${status.size} bytes)`;
}

/** Returns the greatest depth to which all entries fit; 1 if not even those of the folder itself do. */
function levelsThatFit(depths: readonly number[]): number {
  let levels = 1;
  while (levels < 20 && depths.filter((depth) => depth <= levels + 1).length <= maxEntries) levels += 1;
  return levels;
}
