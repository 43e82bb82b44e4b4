import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import type { Workspace } from './workspace.js';
import { linesOf, numbered, readTextFile } from './text-file.js';

const maxLines = 400;

const input = z.object({
  path: z.string().min(1).describe('The file, relative to the root of the workspace.'),
  start_line: z.int().min(1).optional().describe('The first line to read; lines count from 1.'),
  end_line: z.int().min(1).optional().describe('The last line to read.'),
});

/** The tool `read_file`. */
export function readFileTool(workspace: Workspace): Tool<z.infer<typeof input>> {
  return defineTool({
    name: 'read_file',
    description: `Read a text file, or some lines of it, with line numbers. At most ${maxLines} lines at once.`,
    input,
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: async ({ path, start_line = 1, end_line }) => {
      const lines = linesOf(await readTextFile(workspace, path));
      if (end_line !== undefined && end_line < start_line) {
        throw new Error(`end_line (${end_line}) is before start_line (${start_line}).`);
      }
      if (start_line > Math.max(1, lines.length)) {
        throw new Error(`'${path}' has ${lines.length} lines; start_line is ${start_line}.`);
      }
      const last = Math.min(end_line ?? lines.length, lines.length, start_line + maxLines - 1);
      const shown = lines.slice(start_line - 1, last);
      const rest = last < (end_line ?? lines.length) && last < lines.length;
      const text = shown.length === 0 ? '[the file is empty]' : numbered(shown, start_line);
      return {
        content: rest ? `${text}\n[${lines.length - last} more lines; go on at start_line ${last + 1}]` : text,
        details: { path, startLine: start_line, endLine: last, totalLines: lines.length },
      };
    },
  });
}
