import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import type { Workspace } from './workspace.js';
import { linesOf } from './text-file.js';

const input = z.object({
  path: z.string().min(1).describe('The file, relative to the root of the workspace. Folders are made as needed.'),
  content: z.string().describe('The whole content of the file.'),
});

/** The tool `write_file`. */
export function writeFileTool(workspace: Workspace): Tool<z.infer<typeof input>> {
  return defineTool({
    name: 'write_file',
    description: 'Write a whole file. What was in it before is lost: to change a part of a file, use edit_file.',
    input,
    annotations: { repeatable: true },
    execute: async ({ path, content }) => {
      const absolute = await workspace.resolve(path);
      const before = await stat(absolute).catch(() => undefined);
      if (before?.isDirectory() === true) throw new Error(`'${path}' is a folder.`);
      await mkdir(dirname(absolute), { recursive: true });
      await writeFile(absolute, content);
      const lines = linesOf(content).length;
      return {
        content: `${before === undefined ? 'Created' : 'Replaced'} ${path} (${lines} lines).`,
        details: { path, lines, created: before === undefined },
      };
    },
  });
}
